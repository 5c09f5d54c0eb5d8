import type { FillOptions } from './bundle.js';
import {
  attachmentsOf,
  blobsOf,
  copyAll,
  type FoundImage,
  type ImagePart,
  incompleteError,
  walkImage,
} from './image-parts.js';
import type { ClosureImage } from './lockfile-images.js';
import { nameAtMirror, type MirrorRule } from './mirror-rules.js';
import { inParallel } from '../../base/collections.js';
import type { Digest } from '../../base/digest.js';
import { SourceError } from '../../base/errors.js';
import { Spool } from '../../base/files/spool.js';
import type { Candidate } from '../../crossplane/packages/package.js';
import { joinReference, parseReference } from '../../crossplane/packages/reference.js';
import type { Descriptor } from '../../oci/image/descriptor.js';
import {
  copyBlob,
  type ImageDestination,
  type ImageRepository,
  type StoredManifest,
} from '../../oci/image/image-repository.js';
import type { LockedPackage } from '../../project/lockfile/lockfile.js';
import type { Registries } from '../../sources/images/open-registries.js';

/** An image and its place at the mirror. */
export interface MirroredImage {
  readonly image: ClosureImage;
  /** `mirror.example.org/acme/provider:v1.0.0`. */
  readonly name: string;
  readonly destination: ImageDestination;
  /** The digest that the name has at the mirror; undefined: the name does not exist there. */
  readonly before: Digest | undefined;
}

/** Returns the place of each image at the mirror and its current digest there. Writes nothing. */
export async function planMirror(
  images: readonly ClosureImage[],
  rules: readonly MirrorRule[],
  registries: Pick<Registries, 'destination'>,
  concurrency: number,
): Promise<readonly MirroredImage[]> {
  return inParallel(images, concurrency, async (image) => {
    const name = nameAtMirror(joinReference(image.repository, image.version), rules);
    const destination = registries.destination(parseReference(name)!);
    const before = (await destination.manifest(image.version))?.digest;
    return { image, name, destination, before };
  });
}

interface MirrorOptions extends FillOptions {
  /** Called with the size of each blob that was sent. */
  readonly onBytes: (count: number) => void;
}

export interface MirrorOutcome {
  /** Whether anything was copied; else the mirror had the whole image. */
  readonly isNew: boolean;
  /** Number of signatures and other attachments. */
  readonly attachments: number;
}

/** Copies what the mirror lacks of each image; outcomes are in the order of the plan. */
export async function copyToMirror(
  plan: readonly MirroredImage[],
  { concurrency, signatures, onImage, onBytes }: MirrorOptions,
): Promise<readonly MirrorOutcome[]> {
  return copyAll(plan, concurrency, async ({ image, name, destination, before }) => {
    onImage(name);
    const isNamed = before === image.digest;
    const options = { reference: image.version, isNamed, onBytes };
    let isNew = await mirrorImage(image, destination, options);
    const attachments = signatures ? await attachmentsOf(image) : [];
    for (const attachment of attachments) {
      const { reference, manifest } = attachment;
      const current = (await destination.manifest(reference))?.digest;
      const copy = { reference, isNamed: current === manifest.digest, onBytes };
      if (await mirrorImage(attachment, destination, copy)) isNew = true;
    }
    return { isNew, attachments: attachments.length };
  });
}

interface CopyOptions extends Pick<MirrorOptions, 'onBytes'> {
  /** Tag or digest to store the image under. */
  readonly reference: string;
  /** Whether the mirror has the image under this reference, so that only blobs can be missing. */
  readonly isNamed: boolean;
}

/**
 * Copies an image to a registry, byte for byte. Skips what the registry has, and writes the tag last,
 * so that an interrupted copy can be continued. Returns whether anything was missing.
 */
async function mirrorImage(
  image: FoundImage,
  to: ImageDestination,
  { reference, isNamed, onBytes }: CopyOptions,
): Promise<boolean> {
  const top = image.manifest.digest;
  let isNew = !isNamed;
  const store = async (manifest: StoredManifest) => {
    if (manifest.digest === top) return;
    if (isNamed && (await to.manifest(manifest.digest)) !== undefined) return;
    await to.putManifest(manifest.digest, manifest);
    isNew = true;
  };
  await walkImage(image, {
    image: async ({ stored, manifest }) => {
      for (const blob of blobsOf(manifest)) {
        if (await to.hasBlob(blob)) continue;
        await send(image.images, blob, to);
        isNew = true;
        onBytes(blob.size);
      }
      await store(stored);
    },
    index: store,
  });
  if (isNew) await to.putManifest(reference, image.manifest);
  return isNew;
}

/** Sends a blob after its digest was checked: a registry might store wrong bytes. */
async function send(images: ImageRepository, blob: Descriptor, to: ImageDestination) {
  const spool = new Spool();
  try {
    if (!(await copyBlob(images, blob, spool))) {
      throw incompleteError(images.name, `the blob ${blob.digest} is not there`);
    }
    await to.putBlob(blob, () => spool.chunks());
  } finally {
    await spool.close();
  }
}

/** Returns what a mirror lacks of the whole images of locked packages, one text for each part. */
export async function mirrorGaps(
  packages: readonly LockedPackage[],
  rules: readonly MirrorRule[],
  registries: Pick<Registries, 'destination'>,
  concurrency: number,
): Promise<readonly (Candidate & { readonly text: string })[]> {
  const gaps = await inParallel(packages, concurrency, async ({ repository, version, digest }) => {
    if (digest === undefined) return [];
    const name = nameAtMirror(joinReference(repository, version), rules);
    const at = registries.destination(parseReference(name)!);
    const texts = await imageGaps(at, version, digest);
    return texts.map((text) => ({ repository, version, text }));
  });
  return gaps.flat();
}

/** Returns a line for each part of an image that a mirror lacks. */
async function imageGaps(mirror: ImageDestination, version: string, digest: Digest) {
  const named = await mirror.manifest(version);
  const { name } = mirror;
  if (named === undefined) return [`the mirror has no \`${name}\` of this version`];
  if (named.digest !== digest) {
    return [
      `at the mirror, \`${name}\` of this version is ${named.digest}, and ${digest} is locked`,
    ];
  }
  const missing: string[] = [];
  const checked = new Set<Digest>();
  const image = async ({ manifest }: ImagePart) => {
    for (const blob of blobsOf(manifest)) {
      if (checked.has(blob.digest)) continue;
      checked.add(blob.digest);
      if (await mirror.hasBlob(blob)) continue;
      missing.push(`\`${name}\` lacks the blob ${blob.digest} of the image`);
    }
  };
  try {
    await walkImage({ images: mirror, manifest: named }, { image });
  } catch (error) {
    // The mirror lacks a manifest that an index lists.
    if (!(error instanceof SourceError) || error.code !== 'BAD_IMAGE') throw error;
    missing.push(error.message);
  }
  return missing;
}
