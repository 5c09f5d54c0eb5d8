import type { PlatformImage } from './image-parts.js';
import type { ClosureImage } from './lockfile-images.js';
import type { MirroredImage, MirrorOutcome } from './mirror.js';
import { shellCommand } from '../../base/escape.js';
import type { JsonObject } from '../../base/json.js';
import { writeYamlStream } from '../../base/yaml/write-yaml.js';
import { jsonDocument } from '../../cli/kit/command.js';
import {
  count,
  crossplane,
  jsonOutput,
  list,
  oneOf,
  outputSchema,
  record,
  source,
  type Static,
  text,
  version,
} from '../../cli/kit/json-schema.js';
import { columns, counted, shortVersion } from '../../cli/terminal/package-text.js';
import { joinReference } from '../../crossplane/packages/reference.js';

/** An image of the closure, with its parts. */
interface ListedImage {
  readonly image: ClosureImage;
  readonly platforms: readonly PlatformImage[];
}

/** The result of `images`. */
export interface ImagesValue {
  readonly listed: readonly ListedImage[];
  readonly crossplane: string;
}

/** Returns a line for each platform, and the total. */
export function imagesLines({ listed, crossplane: release }: ImagesValue): string[] {
  const rows = listed.flatMap(({ image, platforms }) =>
    platforms.map(({ platform = 'not known', digest, bytes }) => [
      joinReference(image.repository, shortVersion(image.version)),
      image.role,
      platform,
      shortVersion(digest),
      size(bytes),
    ]),
  );
  const all = `${counted(listed.length, 'image')} for Crossplane ${release}, ${size(total(listed))}`;
  return [all, ...columns(rows)];
}

/** Fields of an image, shared by commands. */
export const imageSchema = {
  source,
  version,
  digest: text('Digest of the image; of the index where it has one.'),
  role: oneOf(
    ['package', 'runtime'],
    'The image of a package, or another that metadata wants run.',
  ),
};

const imagesSchema = outputSchema('images -o json', {
  crossplane,
  images: list(
    record({
      ...imageSchema,
      platforms: list(
        record({
          'platform?': text('`linux/amd64`, or `attestation`; absent: not known.'),
          digest: text('Digest of its manifest.'),
          bytes: count('Manifest, config and layers.'),
        }),
        'What it is made of, in the order of its index.',
      ),
    }),
    'Every image, by name.',
  ),
  bytes: count('All of it, what images share counted once.'),
});

export const imagesOutput = jsonOutput(
  imagesSchema,
  ({ listed, crossplane: release }: ImagesValue): Static<typeof imagesSchema> => ({
    crossplane: release,
    images: listed.map(({ image, platforms }) => ({
      ...imageFields(image),
      platforms: platforms.map(({ platform, digest, bytes }) => ({ platform, digest, bytes })),
    })),
    bytes: total(listed),
  }),
);

/** Fields of an image in every command. */
function imageFields({ repository, version, digest, role }: ClosureImage) {
  return { source: repository, version, digest, role };
}

/** Blobs and manifests, each counted once: images share layers. */
function total(listed: readonly ListedImage[]): number {
  const sizes = new Map<string, number>();
  for (const { image, platforms } of listed) {
    sizes.set(image.digest, image.manifest.bytes.length);
    for (const { digest, bytes, blobs } of platforms) {
      sizes.set(
        digest,
        blobs.reduce((left, blob) => left - blob.size, bytes),
      );
      for (const blob of blobs) sizes.set(blob.digest, blob.size);
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** `12.3 MB`, as registries count. */
export function size(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

export const COPY_TOOLS = ['oras', 'crane', 'skopeo'] as const;

type CopyTool = (typeof COPY_TOOLS)[number];

/** The result for the images, or the planned one. */
export interface MirrorReport {
  readonly place: string;
  readonly images: readonly MirroredImage[];
  /** The result for each, in order; undefined if nothing was copied. */
  readonly outcomes: readonly MirrorOutcome[] | undefined;
  /** Sent bytes. */
  readonly bytes: number;
  readonly imageConfigs: readonly JsonObject[];
}

/** Prints the ImageConfigs as a stream to apply, and the result as notes. */
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

/** Returns commands that copy the images with another tool: by digest, all platforms, byte for byte. */
export function copyCommands(images: readonly MirroredImage[], tool: CopyTool): string[] {
  return images.map(({ image, name }) => {
    const from = joinReference(image.repository, image.digest);
    switch (tool) {
      case 'oras':
        return shellCommand(['oras', 'copy', '--recursive', from, name]);
      case 'crane':
        return shellCommand(['crane', 'copy', from, name]);
      case 'skopeo':
        return shellCommand([
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
