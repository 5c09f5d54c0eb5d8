import { joinReference } from '../../../model/reference.js';
import type { MirroredImage, MirrorOutcome } from '../../../supply/mirror.js';
import type { JsonObject } from '../../../text/json.js';
import { writeYamlStream } from '../../../text/yaml/write-yaml.js';
import { jsonDocument } from '../json-document.js';
import { shellLine } from '../shell-line.js';
import { imageFields } from './images.js';

export const COPY_TOOLS = ['oras', 'crane', 'skopeo'] as const;

export type CopyTool = (typeof COPY_TOOLS)[number];

/** What became of the images, or would. */
export interface MirrorReport {
  readonly place: string;
  readonly images: readonly MirroredImage[];
  /** What became of each, in their order; undefined: nothing was copied. */
  readonly outcomes: readonly MirrorOutcome[] | undefined;
  /** Bytes that were sent. */
  readonly bytes: number;
  readonly imageConfigs: readonly JsonObject[];
}

/** The ImageConfigs, as a stream to apply; what happened is told in notes. */
export function mirrorText({ imageConfigs }: MirrorReport): string {
  return writeYamlStream(imageConfigs);
}

export function mirrorJson(report: MirrorReport, commands: readonly string[] | undefined): string {
  const { place, images, outcomes, bytes, imageConfigs } = report;
  return jsonDocument({
    to: place,
    images: images.map((one, i) => ({
      ...imageFields(one.image),
      to: one.name,
      ...outcomeFields(one, outcomes?.[i]),
    })),
    bytes,
    imageConfigs,
    ...(commands === undefined ? {} : { commands }),
  });
}

function outcomeFields({ image, before }: MirroredImage, outcome: MirrorOutcome | undefined) {
  if (outcome === undefined) return { status: before === image.digest ? 'present' : 'missing' };
  return { status: outcome.isNew ? 'copied' : 'present', attachments: outcome.attachments };
}

/** What copies the images with another tool: by digest, all platforms, byte for byte. */
export function copyCommands(images: readonly MirroredImage[], tool: CopyTool): string[] {
  return images.map(({ image, name }) => {
    const from = joinReference(image.repository, image.digest);
    switch (tool) {
      case 'oras':
        return shellLine(['oras', 'copy', '--recursive', from, name]);
      case 'crane':
        return shellLine(['crane', 'copy', from, name]);
      case 'skopeo':
        return shellLine([
          'skopeo',
          'copy',
          '--all',
          '--preserve-digests',
          `docker://${from}`,
          `docker://${name}`,
        ]);
    }
  });
}
