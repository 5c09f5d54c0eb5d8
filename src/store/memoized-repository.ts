import { copyBlob } from './copy-blob.js';
import type { ImageRepository } from '../image/image-repository.js';

/**
 * Asks for the list of tags and for each manifest once, so that a tag cannot move during a run.
 *
 * Blobs are not remembered: they are large, and callers remember what they parsed from them.
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
