import type { Candidate } from '../../model/package.js';
import type { PackageDocument } from '../../model/document/package-document.js';
import type { PackageSource } from '../../model/package-source.js';
import { joinReference } from '../../model/reference.js';
import { SourceError } from '../../model/source-error.js';
import type { Target } from '../../model/target/target.js';
import { locatePackage } from '../../image/locate-package.js';
import { readPackage } from '../../image/read-package.js';
import { readDocuments } from '../../package-yaml/documents/read-documents.js';
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
  const { repository, version, digest } = wanted;
  const name = joinReference(repository, version);
  const { images, located } = await locate(wanted, sources, target);
  const read = await readPackage(images, located, target.rules, {
    read: (stream) => readDocuments(stream, take),
  });
  if (read.status === 'refused') throw new SourceError('BAD_IMAGE', name, read.why);
  if (!read.value) {
    throw new SourceError('BAD_IMAGE', name, 'its package.yaml cannot be read to its end', {
      hint: `\`xpkg-resolve lint ${joinReference(repository, digest ?? version)}\` says why`,
    });
  }
}

async function locate(
  { repository, version, digest }: WantedImage,
  sources: readonly PackageSource[],
  target: Target,
) {
  const holders = sources.filter(holdsImages);
  const versions = digest === undefined ? [version] : [version, digest];
  for (const source of holders) {
    for (const candidate of versions) {
      const images = await source.images({ repository, version: candidate }, target);
      const located = images && (await locatePackage(images, digest ?? version, target.rules));
      if (images !== undefined && located !== undefined) return { images, located };
    }
  }
  throw new SourceError(
    'BAD_SOURCE',
    joinReference(repository, version),
    digest === undefined ? 'no source has it' : `no source has the image ${digest} that is locked`,
    {
      hint:
        holders.length > 0
          ? 'name the source that has it with `--from`, or leave schemas out with `--no-schemas`'
          : 'an index and a package cache hold no images: name a source that does with `--from`, or leave schemas out with `--no-schemas`',
    },
  );
}
