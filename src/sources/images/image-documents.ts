import type { Candidate } from '../../crossplane/packages/package.js';
import {
  type PackageDocument,
  readDocuments,
  readContents,
} from '../../crossplane/package-yaml/read-package-yaml.js';
import type { PackageContents } from '../../crossplane/packages/package-contents.js';
import type { PackageSource } from '../package-source.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import { SourceError } from '../../base/errors.js';
import type { ImageRepository } from '../../oci/image/image-repository.js';
import { locatePackage, type LocatedPackage } from '../../oci/image/locate-package.js';
import { readPackage } from '../../oci/image/read-package.js';
import { RegistryDocuments } from '../../crossplane/legacy/registry-package.js';
import type { ReleaseRules } from '../../crossplane/releases/release-facts.js';
import type { Digest } from '../../base/digest.js';
import { hasImages } from './fetch-image.js';
import { shellWord } from '../../base/escape.js';

/** A package and its digest, if known. */
export interface WantedImage extends Candidate {
  readonly digest: Digest | undefined;
}

/** Passes every document of a package to `take`, from the first source with its image. */
export async function imageDocuments(
  wanted: WantedImage,
  sources: readonly PackageSource[],
  target: ReleaseRules,
  take: (document: PackageDocument) => void,
): Promise<void> {
  const located = await locateImage(wanted, sources, target);
  if (located === undefined) throw missingImageError(wanted, sources);
  await readImage(wanted, located, target, take, async (stream) => ({
    contents: undefined,
    complete: await readDocuments(stream, take),
  }));
}

export interface ReadImage {
  readonly contents: PackageContents;
  readonly digest: Digest;
  readonly notes: readonly string[];
}

/** Reads a package and its documents in one pass. Returns undefined if no source has the image. */
export async function readImageContents(
  wanted: WantedImage,
  sources: readonly PackageSource[],
  target: ReleaseRules,
  take: (document: PackageDocument) => void,
): Promise<ReadImage | undefined> {
  const located = await locateImage(wanted, sources, target);
  if (located === undefined) return undefined;
  const { contents, notes } = await readImage(wanted, located, target, take, (stream) =>
    readContents(stream, take),
  );
  return { contents: contents!, digest: located.located.digest, notes };
}

type DocumentReader = (
  stream: AsyncIterable<Uint8Array>,
) => Promise<{ readonly contents: PackageContents | undefined; readonly complete: boolean }>;

/** Reads a package.yaml with `read`, or a package in the legacy format. */
async function readImage(
  { repository, version, digest }: WantedImage,
  { images, located }: { readonly images: ImageRepository; readonly located: LocatedPackage },
  target: ReleaseRules,
  take: (document: PackageDocument) => void,
  read: DocumentReader,
) {
  const name = joinReference(repository, version);
  const documents = new RegistryDocuments();
  const files = {
    takes: (path: string) => documents.takes(path),
    add: (path: string, content: AsyncIterable<Uint8Array>) => documents.add(path, content),
    get value() {
      const contents = documents.value;
      return contents && { contents, complete: true };
    },
  };
  const result = await readPackage(images, located, target.rules, { read, files });
  if (result.status === 'refused') throw new SourceError('BAD_IMAGE', name, result.why);
  const { contents, complete } = result.value;
  if (!complete) {
    throw new SourceError('BAD_IMAGE', name, 'its package.yaml cannot be read to its end', {
      hint: `\`xpkg-resolve lint ${shellWord(joinReference(repository, digest ?? version))}\` says why`,
    });
  }
  return { contents, notes: [...result.notes, ...documents.passTo(take)] };
}

async function locateImage(
  { repository, version, digest }: WantedImage,
  sources: readonly PackageSource[],
  target: ReleaseRules,
) {
  const versions = digest === undefined ? [version] : [version, digest];
  for (const source of sources.filter(hasImages)) {
    for (const candidate of versions) {
      const images = await source.images({ repository, version: candidate }, target);
      const located = images && (await locatePackage(images, digest ?? version, target.rules));
      if (images !== undefined && located !== undefined) return { images, located };
    }
  }
  return undefined;
}

export function missingImageError(
  { repository, version, digest }: WantedImage,
  sources: readonly PackageSource[],
): SourceError {
  const what =
    digest === undefined ? 'no source has it' : `no source has the image ${digest} that is locked`;
  return new SourceError('BAD_SOURCE', joinReference(repository, version), what, {
    hint: sources.some(hasImages)
      ? 'name the source that has it with `--from`, or leave schemas out with `--no-schemas`'
      : 'an index and a package cache hold no images: name a source that does with `--from`, or leave schemas out with `--no-schemas`',
  });
}
