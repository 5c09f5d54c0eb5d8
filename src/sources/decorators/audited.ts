import type { Candidate } from '../../model/package.js';
import type { Digest } from '../../text/digest.js';
import type { FetchedPackage, PackageSource } from '../../model/package-source.js';
import { allEnded } from '../../model/time/all-ended.js';
import { auditImage } from '../../image/audit/audit-image.js';
import type { ExpectedBlob } from '../../image/blob.js';
import type { ImageRepository, OpenBlob, StoredManifest } from '../../image/image-repository.js';
import { locatePackage } from '../../image/locate-package.js';
import { openBlob } from '../../image/layer/open-blob.js';
import { holdsImages, type ImageHolder } from '../image/image-holder.js';
import { fetchImage } from '../image/fetch-image.js';
import { traitsOf } from './traits.js';

/** Whether an image is what was locked for a package. */
export type IsLocked = (candidate: Candidate, digest: Digest) => boolean;

/**
 * A source as `verify` reads it: every image that is locked from its bytes, whatever earlier runs
 * made of them, and more closely than resolving has to. Of any other only the digest is told.
 */
export function audited(source: PackageSource, isLocked: IsLocked): PackageSource {
  return holdsImages(source) ? auditedImages(source, isLocked) : source;
}

function auditedImages(source: ImageHolder, isLocked: IsLocked): PackageSource {
  return {
    ...traitsOf(source),
    tags: (repository, target) => source.tags(repository, target),
    async fetch(candidate, target) {
      const { version } = candidate;
      const images = await source.images(candidate, target);
      const named = await images?.manifest(version);
      if (images === undefined || named === undefined) return source.fetch(candidate, target);
      const opened = new OpenedBlobs(images);
      const held = keeping(images, named, opened);
      if (!isLocked(candidate, named.digest)) {
        // What is no image is a fault of the registry: a tag is moved from one image to another.
        await locatePackage(held, named.digest, target.rules);
        return unread(named.digest);
      }
      try {
        // At once, so that config and layer take one round. Blobs are open until both have ended.
        const [fetched, notes] = await allEnded([
          fetchImage(held, version, target),
          auditImage(held, version, target.rules),
        ]);
        return fetched && { ...fetched, notes: [...(fetched.notes ?? []), ...notes] };
      } finally {
        await opened.close();
      }
    },
  };
}

function unread(digest: Digest): FetchedPackage {
  const problems = [{ message: 'it is not the image that is locked, and was not read' }];
  return { contents: { metas: [], objects: [], problems, warnings: [] }, digest };
}

/** For as long as one image is looked at, nothing of it is downloaded twice. */
function keeping(
  images: ImageRepository,
  top: StoredManifest,
  opened: OpenedBlobs,
): ImageRepository {
  return {
    name: images.name,
    partial: images.partial,
    tags: () => images.tags(),
    manifest: async (reference) => (reference === top.digest ? top : images.manifest(reference)),
    blob: (descriptor) => images.blob(descriptor),
    openBlob: (descriptor) => opened.open(descriptor),
  };
}

/** Blobs that stay open until all are closed. */
class OpenedBlobs {
  readonly #images: ImageRepository;
  /** By digest and size: each size that a manifest says is checked. */
  readonly #blobs = new Map<string, Promise<OpenBlob | undefined>>();

  constructor(images: ImageRepository) {
    this.#images = images;
  }

  async open(descriptor: ExpectedBlob): Promise<OpenBlob | undefined> {
    const key = `${descriptor.digest} ${descriptor.size}`;
    const opening = this.#blobs.get(key) ?? openBlob(this.#images, descriptor);
    this.#blobs.set(key, opening);
    const blob = await opening;
    return blob && { chunks: () => blob.chunks(), close: async () => {} };
  }

  async close(): Promise<void> {
    for (const opening of this.#blobs.values()) {
      await (await opening.catch(() => undefined))?.close();
    }
  }
}
