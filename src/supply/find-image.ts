import type { Candidate } from '../model/package.js';
import type { PackageSource } from '../model/package-source.js';
import { joinReference } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import type { Target } from '../model/target/target.js';
import type { ImageRepository, StoredManifest } from '../image/image-repository.js';
import { holdsImages } from '../sources/image/image-holder.js';
import type { Digest } from '../text/digest.js';

/** An image, and the repository that holds it. */
export interface FoundImage {
  readonly images: ImageRepository;
  readonly manifest: StoredManifest;
}

/** The first source that has the image of a locked package; all have the same bytes for a digest. */
export async function findImage(
  { repository, version, digest }: Candidate & { readonly digest: Digest },
  sources: readonly PackageSource[],
  target: Target,
): Promise<FoundImage> {
  const found = await findByName({ repository, version }, digest, { sources, target });
  if (found !== undefined) return found;
  throw new SourceError(
    'BAD_SOURCE',
    joinReference(repository, version),
    `no source has the image ${digest} that is locked`,
    {
      hint: sources.some((source) => holdsImages(source))
        ? 'name the source that it was locked from with `--from`; if a tag was pushed anew, resolve again'
        : 'an index and a package cache hold no images: name a source that does with `--from`',
    },
  );
}

/** What `reference`, a tag or digest, names in the first source that has it; undefined: none has. */
export async function findByName(
  candidate: Candidate,
  reference: string,
  { sources, target }: { readonly sources: readonly PackageSource[]; readonly target: Target },
): Promise<FoundImage | undefined> {
  for (const source of sources) {
    const images = holdsImages(source) ? await source.images(candidate, target) : undefined;
    const manifest = await images?.manifest(reference);
    if (images !== undefined && manifest !== undefined) return { images, manifest };
  }
  return undefined;
}
