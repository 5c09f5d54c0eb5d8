import pLimit from 'p-limit';
import type { LockedPackage } from '../lock/lockfile.js';
import type { Candidate } from '../model/package.js';
import { joinReference, parseReference, type Reference } from '../model/reference.js';
import { mirrored, type MirrorRule } from './mirror-rules.js';
import type { ImageDestination } from '../image/image-destination.js';
import type { ImageRepository } from '../image/image-repository.js';
import type { Digest } from '../text/digest.js';
import { SourceError } from '../model/source-error.js';
import { walkImage, type ImagePart } from './image-parts.js';

/** Something that a mirror lacks of the image of a locked package. */
export interface MirrorGap extends Candidate {
  readonly text: string;
}

/** What a mirror lacks of the images of locked packages, whole ones. */
export async function mirrorGaps(
  packages: readonly LockedPackage[],
  rules: readonly MirrorRule[],
  open: (reference: Reference) => ImageDestination,
  concurrency: number,
): Promise<readonly MirrorGap[]> {
  const limit = pLimit(concurrency);
  const gaps = packages.map(({ repository, version, digest }) =>
    limit(async () => {
      if (digest === undefined) return [];
      const at = open(parseReference(mirrored(joinReference(repository, version), rules))!);
      const texts = await imageGaps(at, { version, digest });
      return texts.map((text) => ({ repository, version, text }));
    }),
  );
  return (await Promise.all(gaps)).flat();
}

/** What a mirror lacks of an image that it should hold, a line each; empty: nothing. */
async function imageGaps(
  mirror: ImageDestination,
  { version, digest }: { readonly version: string; readonly digest: Digest },
): Promise<readonly string[]> {
  const named = await mirror.manifest(version);
  if (named === undefined) return [`the mirror has no \`${mirror.name}\` of this version`];
  if (named.digest !== digest) {
    return [
      `at the mirror, \`${mirror.name}\` of this version is ${named.digest}, and ${digest} is locked`,
    ];
  }
  const missing: string[] = [];
  const lookedFor = new Set<Digest>();
  const images: ImageRepository = {
    name: mirror.name,
    tags: async () => undefined,
    manifest: (reference) => mirror.manifest(reference),
    blob: async () => undefined,
  };
  const image = async ({ manifest }: ImagePart) => {
    for (const blob of [manifest.config, ...manifest.layers]) {
      if (lookedFor.has(blob.digest)) continue;
      lookedFor.add(blob.digest);
      if (!(await mirror.hasBlob(blob))) {
        missing.push(`\`${mirror.name}\` lacks the blob ${blob.digest} of the image`);
      }
    }
  };
  try {
    await walkImage({ images, manifest: named }, { image });
  } catch (error) {
    // A manifest that an index names and that is not there.
    if (!(error instanceof SourceError) || error.code !== 'BAD_IMAGE') throw error;
    missing.push(error.message);
  }
  return missing;
}
