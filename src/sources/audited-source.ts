import { getOrCreate } from '../base/collections.js';
import type { Candidate } from '../crossplane/packages/package.js';
import type { Digest } from '../base/digest.js';
import type { FetchedPackage, PackageSource } from './package-source.js';
import { allSettledInOrder } from '../base/time.js';
import { auditImage } from '../oci/image/audit-image.js';
import {
  type ImageRepository,
  type OpenBlob,
  openBlob,
  type StoredManifest,
} from '../oci/image/image-repository.js';
import { locatePackage } from '../oci/image/locate-package.js';
import { fetchImage, hasImages, type ImageSource } from './images/fetch-image.js';
import { forwardingSource } from './decorators.js';

/** Whether a digest is the one that the lockfile has for a package. */
export type IsLocked = (candidate: Candidate, digest: Digest) => boolean;

/** For `verify`: reads and audits locked images, and returns only the digest of others. */
export function auditedSource(source: PackageSource, isLocked: IsLocked): PackageSource {
  return hasImages(source) ? auditedImages(source, isLocked) : source;
}

function auditedImages(source: ImageSource, isLocked: IsLocked): PackageSource {
  return {
    ...forwardingSource(source),
    async fetch(candidate, target) {
      const { version } = candidate;
      const images = await source.images(candidate, target);
      const manifest = await images?.manifest(version);
      if (images === undefined || manifest === undefined) return source.fetch(candidate, target);
      const { repository, close } = withOpenBlobs(images, manifest);
      if (!isLocked(candidate, manifest.digest)) {
        // Tags move only between images, so anything else is an error of the registry.
        await locatePackage(repository, manifest.digest, target.rules);
        return unreadPackage(manifest.digest);
      }
      try {
        // In parallel, to save a round trip. Blobs stay open until both are done.
        const [fetched, notes] = await allSettledInOrder([
          fetchImage(repository, version, target),
          auditImage(repository, version, target.rules),
        ]);
        return fetched && { ...fetched, notes: [...(fetched.notes ?? []), ...notes] };
      } finally {
        await close();
      }
    },
  };
}

function unreadPackage(digest: Digest): FetchedPackage {
  const problems = [{ message: 'it is not the image that is locked, and was not read' }];
  return { contents: { metas: [], objects: [], problems, warnings: [] }, digest };
}

/** Wraps a repository so that it opens each blob once and keeps it open until `close`. */
function withOpenBlobs(images: ImageRepository, top: StoredManifest) {
  /** By digest and size, so that each size in a manifest is verified. */
  const blobs = new Map<string, Promise<OpenBlob | undefined>>();
  const repository: ImageRepository = {
    name: images.name,
    partial: images.partial,
    tags: () => images.tags(),
    manifest: async (reference) => (reference === top.digest ? top : images.manifest(reference)),
    blob: (descriptor) => images.blob(descriptor),
    openBlob: async (descriptor) => {
      const key = `${descriptor.digest} ${descriptor.size}`;
      const blob = await getOrCreate(blobs, key, () => openBlob(images, descriptor));
      return blob && { chunks: () => blob.chunks(), close: async () => {} };
    },
  };
  const close = async () => {
    for (const opening of blobs.values()) await (await opening.catch(() => undefined))?.close();
  };
  return { repository, close };
}
