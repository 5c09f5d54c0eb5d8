import type { PlatformImage } from './image-parts.js';
import type { ClosureImage } from './lockfile-images.js';
import type { MirroredImage, MirrorOutcome } from './mirror.js';
import { shellCommand } from '../../base/escape.js';
import type { JsonObject } from '../../base/json.js';
import * as json from '../../cli/kit/json-schema.js';
import { columns, amount, shortVersion } from '../../cli/terminal/package-text.js';
import { joinReference } from '../../crossplane/packages/reference.js';

/** An image of the closure, with its parts. */
interface ListedImage {
  readonly image: ClosureImage;
  readonly platforms: readonly PlatformImage[];
}

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
  const all = `${amount(listed.length, 'image')} for Crossplane ${release}, ${size(totalSize(listed))}`;
  return [all, ...columns(rows)];
}

const imageSchema = {
  source: json.source,
  version: json.version,
  digest: json.text('Digest of the image; of the index where it has one.'),
  role: json.oneOf(
    ['package', 'runtime'],
    'The image of a package, or another that metadata wants run.',
  ),
};

const imagesSchema = json.outputSchema('images -o json', {
  crossplane: json.crossplane,
  images: json.list(
    json.record({
      ...imageSchema,
      platforms: json.list(
        json.record({
          'platform?': json.text('`linux/amd64`, or `attestation`; absent: not known.'),
          digest: json.text('Digest of its manifest.'),
          bytes: json.count('Manifest, config and layers.'),
        }),
        'What it is made of, in the order of its index.',
      ),
    }),
    'Every image, by name.',
  ),
  bytes: json.count('All of it, what images share counted once.'),
});

export const imagesOutput = json.jsonOutput(
  imagesSchema,
  ({ listed, crossplane: release }: ImagesValue): json.Static<typeof imagesSchema> => ({
    crossplane: release,
    images: listed.map(({ image, platforms }) => ({
      ...imageFields(image),
      platforms: platforms.map(({ platform, digest, bytes }) => ({ platform, digest, bytes })),
    })),
    bytes: totalSize(listed),
  }),
);

function imageFields({ repository, version, digest, role }: ClosureImage) {
  return { source: repository, version, digest, role };
}

/** Returns the size of all blobs and manifests; what several images share is counted once. */
function totalSize(listed: readonly ListedImage[]): number {
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

const mirrorSchema = json.outputSchema('mirror -o json', {
  to: json.text('Where the mirror is.'),
  images: json.list(
    json.record({
      ...imageSchema,
      to: json.text('Name at the mirror.'),
      status: json.oneOf(
        ['copied', 'present', 'missing'],
        '`present`: the mirror had it; `missing`: it would be copied.',
      ),
      'attachments?': json.count(
        'Signatures and the like that it has; absent: nothing was copied.',
      ),
    }),
    'Every image, by name.',
  ),
  bytes: json.count('Bytes that were sent.'),
  imageConfigs: json.list(
    json.anything<JsonObject>('An ImageConfig.'),
    'With which a cluster pulls from the mirror; empty: the release has none that can.',
  ),
  'commands?': json.texts('With `--dry-run`: what copies the images with another tool.'),
});

export interface MirrorValue {
  readonly address: string;
  readonly images: readonly MirroredImage[];
  /** The result for each image, in order; undefined with `--dry-run`. */
  readonly outcomes: readonly MirrorOutcome[] | undefined;
  readonly bytes: number;
  readonly imageConfigs: readonly JsonObject[];
  /** With `--dry-run`: commands that copy the images with another tool. */
  readonly commands: readonly string[] | undefined;
  /** Problems that keep a cluster from pulling from the mirror. */
  readonly warnings: readonly string[];
}

export const mirrorOutput = json.jsonOutput(
  mirrorSchema,
  (value: MirrorValue): json.Static<typeof mirrorSchema> => ({
    to: value.address,
    images: value.images.map((mirrored, i) => ({
      ...imageFields(mirrored.image),
      to: mirrored.name,
      ...outcomeFields(mirrored, value.outcomes?.[i]),
    })),
    bytes: value.bytes,
    imageConfigs: value.imageConfigs,
    commands: value.commands,
  }),
);

function outcomeFields({ image, before }: MirroredImage, outcome: MirrorOutcome | undefined) {
  if (outcome === undefined) {
    return { status: before === image.digest ? 'present' : 'missing' } as const;
  }
  const { isNew, attachments } = outcome;
  return { status: isNew ? 'copied' : 'present', attachments } as const;
}

/** Returns what was copied, and the warnings. */
export function mirrorNotes({ outcomes, bytes, address, warnings }: MirrorValue): string[] {
  if (outcomes === undefined) return [...warnings];
  const copied = outcomes.filter(({ isNew }) => isNew).length;
  const rest = outcomes.length - copied;
  const had = rest === 0 ? '' : `; it had ${rest === 1 ? '1 other' : `${rest} others`}`;
  const summary = `copied ${amount(copied, 'image')} (${size(bytes)}) to ${address}${had}`;
  return [summary, ...warnings];
}

export const COPY_TOOLS = ['oras', 'crane', 'skopeo'] as const;

type CopyTool = (typeof COPY_TOOLS)[number];

/** The command of each tool that copies all platforms, byte for byte. */
const COPY_WORDS: Readonly<Record<CopyTool, readonly string[]>> = {
  oras: ['oras', 'copy', '--recursive'],
  crane: ['crane', 'copy'],
  skopeo: ['skopeo', 'copy', '--all', '--preserve-digests'],
};

/** Returns commands that copy the images with another tool, by digest. */
export function copyCommands(images: readonly MirroredImage[], tool: CopyTool): string[] {
  const scheme = tool === 'skopeo' ? 'docker://' : '';
  return images.map(({ image, name }) => {
    const from = joinReference(image.repository, image.digest);
    return shellCommand([...COPY_WORDS[tool], `${scheme}${from}`, `${scheme}${name}`]);
  });
}

const bundleSchema = json.outputSchema('bundle -o json', {
  file: json.text('File that was written.'),
  images: json.count('Images in it.'),
  'bytes?': json.count('Size of the file; absent with `--no-write`.'),
});

export type BundleValue = json.Static<typeof bundleSchema>;

export const bundleOutput = json.valueOutput(bundleSchema);

const vendorSchema = json.outputSchema('vendor -o json', {
  folder: json.text('Folder of the layout.'),
  packages: json.count('Packages in it.'),
  'bytes?': json.count('Bytes in it; absent with `--no-write`.'),
});

export type VendorValue = json.Static<typeof vendorSchema>;

export const vendorOutput = json.valueOutput(vendorSchema);
