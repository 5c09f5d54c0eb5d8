import { copyBlob } from './copy-blob.js';
import type { ImageRepository } from '../image/image-repository.js';

/**
 * Asks for a list of tags, a tag and a manifest once: a tag that moves during a run is not seen to.
 *
 * Blobs are left out: whoever reads one keeps what it made of it, not the bytes.
 */
export function memoizedRepository(repository: ImageRepository): ImageRepository {
  let tags: ReturnType<ImageRepository['tags']> | undefined;
  const manifests = new Map<string, ReturnType<ImageRepository['manifest']>>();
  return {
    name: repository.name,
    partial: repository.partial,
    tags: () => (tags ??= repository.tags()),
    manifest: (reference) => {
      const known = manifests.get(reference) ?? repository.manifest(reference);
      manifests.set(reference, known);
      return known;
    },
    blob: (descriptor) => repository.blob(descriptor),
    copyBlob: (descriptor, to) => copyBlob(repository, descriptor, to),
  };
}
