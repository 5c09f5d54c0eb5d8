import type { Candidate } from '../../model/package.js';
import type { PackageDocument } from '../../model/document/package-document.js';
import type { PackageContents } from '../../model/package-contents.js';
import type { PackageSource } from '../../model/package-source.js';
import { joinReference } from '../../model/reference.js';
import { SourceError } from '../../model/source-error.js';
import type { Target } from '../../model/target/target.js';
import type { ImageRepository } from '../../image/image-repository.js';
import { locatePackage, type LocatedPackage } from '../../image/locate-package.js';
import { readPackage } from '../../image/read-package.js';
import { RegistryDocuments } from '../../package-yaml/dot-registry/registry-documents.js';
import { readDocuments } from '../../package-yaml/documents/read-documents.js';
import { readContents } from '../../package-yaml/read-package-yaml.js';
import type { Digest } from '../../text/digest.js';
import { holdsImages } from './image-holder.js';

/** A package, by its digest where that is known. */
export interface WantedImage extends Candidate {
  readonly digest: Digest | undefined;
}

/** Gives every document of a package, from the first source that has the image of it. */
export async function imageDocuments(
  wanted: WantedImage,
  sources: readonly PackageSource[],
  target: Target,
  take: (document: PackageDocument) => void,
): Promise<void> {
  const located = await locateImage(wanted, sources, target);
  if (located === undefined) throw notThere(wanted, sources);
  await readImage(wanted, located, target, {
    read: async (stream) => ({ value: undefined, complete: await readDocuments(stream, take) }),
    take,
    old: () => undefined,
  });
}

/** A package that was read from its image. */
export interface ReadImage {
  readonly contents: PackageContents;
  readonly digest: Digest;
  readonly notes: readonly string[];
}

/** What a package holds, and every document of it, read at once; undefined: no source has the image. */
export async function imageContents(
  wanted: WantedImage,
  sources: readonly PackageSource[],
  target: Target,
  take: (document: PackageDocument) => void,
): Promise<ReadImage | undefined> {
  const located = await locateImage(wanted, sources, target);
  if (located === undefined) return undefined;
  const read = await readImage(wanted, located, target, {
    read: async (stream) => {
      const { contents, complete } = await readContents(stream, take);
      return { value: contents, complete };
    },
    take,
    old: (contents) => contents,
  });
  return { contents: read.value, digest: located.located.digest, notes: read.notes };
}

async function readImage<T>(
  { repository, version, digest }: WantedImage,
  { images, located }: LocatedImage,
  target: Target,
  { read: reader, take, old }: DocumentReading<T>,
): Promise<{ readonly value: T; readonly notes: readonly string[] }> {
  const name = joinReference(repository, version);
  const documents = new RegistryDocuments();
  const files = {
    takes: (path: string) => documents.takes(path),
    add: (path: string, content: AsyncIterable<Uint8Array>) => documents.add(path, content),
    get value() {
      const contents = documents.value;
      return contents && { value: old(contents), complete: true };
    },
  };
  const read = await readPackage(images, located, target.rules, { read: reader, files });
  if (read.status === 'refused') throw new SourceError('BAD_IMAGE', name, read.why);
  if (!read.value.complete) {
    throw new SourceError('BAD_IMAGE', name, 'its package.yaml cannot be read to its end', {
      hint: `\`xpkg-resolve lint ${joinReference(repository, digest ?? version)}\` says why`,
    });
  }
  return { value: read.value.value, notes: [...read.notes, ...documents.give(take)] };
}

/** How a package is read of its image: from its package.yaml, or from the files of the first format. */
interface DocumentReading<T> {
  readonly read: (
    stream: AsyncIterable<Uint8Array>,
  ) => Promise<{ readonly value: T; readonly complete: boolean }>;
  readonly take: (document: PackageDocument) => void;
  readonly old: (contents: PackageContents) => T;
}

interface LocatedImage {
  readonly images: ImageRepository;
  readonly located: LocatedPackage;
}

async function locateImage(
  { repository, version, digest }: WantedImage,
  sources: readonly PackageSource[],
  target: Target,
): Promise<LocatedImage | undefined> {
  const versions = digest === undefined ? [version] : [version, digest];
  for (const source of sources.filter(holdsImages)) {
    for (const candidate of versions) {
      const images = await source.images({ repository, version: candidate }, target);
      const located = images && (await locatePackage(images, digest ?? version, target.rules));
      if (images !== undefined && located !== undefined) return { images, located };
    }
  }
  return undefined;
}

/** Says that the image of a package is in none of the sources, and what to do. */
export function notThere(
  { repository, version, digest }: WantedImage,
  sources: readonly PackageSource[],
): SourceError {
  return new SourceError(
    'BAD_SOURCE',
    joinReference(repository, version),
    digest === undefined ? 'no source has it' : `no source has the image ${digest} that is locked`,
    {
      hint: sources.some(holdsImages)
        ? 'name the source that has it with `--from`, or leave schemas out with `--no-schemas`'
        : 'an index and a package cache hold no images: name a source that does with `--from`, or leave schemas out with `--no-schemas`',
    },
  );
}
