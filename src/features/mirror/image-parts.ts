import pLimit from 'p-limit';
import { byCodePoint } from '../../base/collections.js';
import type { Digest } from '../../base/digest.js';
import { SourceError } from '../../base/errors.js';
import { allSettledInOrder } from '../../base/time.js';
import { isAttachmentTag } from '../../crossplane/packages/reference.js';
import type { Descriptor } from '../../oci/image/descriptor.js';
import { parseImageConfig } from '../../oci/image/image-config.js';
import type { ImageRepository, StoredManifest } from '../../oci/image/image-repository.js';
import { LIMITS } from '../../oci/image/limits.js';
import { childManifest } from '../../oci/image/locate-package.js';
import { type ImageManifest, parseManifest } from '../../oci/image/manifest.js';

/** An image and a repository that has it. */
export interface FoundImage {
  readonly images: ImageRepository;
  readonly manifest: StoredManifest;
}

/** The error for a manifest or blob that is missing or incomplete in the source. */
export function incompleteError(subject: string, what: string): SourceError {
  return new SourceError('BAD_IMAGE', subject, what, {
    hint: 'the source holds only a part of the image (a layout written without `--full`, perhaps)',
  });
}

/**
 * Copies items in parallel; results are in the order of the items. After an error no copy starts.
 * Throws the error once all running copies have ended, so that none still writes.
 */
export async function copyAll<T, R>(
  items: readonly T[],
  concurrency: number,
  copy: (item: T) => Promise<R>,
): Promise<R[]> {
  const limit = pLimit(concurrency);
  let hasFailed = false;
  const copies = items.map((item) =>
    limit(async () => {
      if (hasFailed) return undefined;
      try {
        return await copy(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }),
  );
  return (await allSettledInOrder(copies)) as R[];
}

/** One manifest of an image: a platform, an attestation, or the only manifest. */
export interface ImagePart {
  readonly stored: StoredManifest;
  readonly manifest: ImageManifest;
  /** Its descriptor in the index; undefined: the image has no index. */
  readonly child: Descriptor | undefined;
}

export function blobsOf({ config, layers }: ImageManifest): readonly Descriptor[] {
  return [config, ...layers];
}

/**
 * Visits the manifests of an image. The children of an index come before the index, so that a copy
 * in this order never refers to a missing manifest.
 */
export async function walkImage(
  {
    images,
    manifest,
  }: Pick<FoundImage, 'manifest'> & { readonly images: Pick<ImageRepository, 'name' | 'manifest'> },
  visit: {
    readonly image: (part: ImagePart) => Promise<void>;
    readonly index?: (stored: StoredManifest) => Promise<void>;
  },
  at: { readonly child?: Descriptor | undefined; readonly depth: number } = { depth: 0 },
): Promise<void> {
  const subject = `${images.name}@${manifest.digest}`;
  const parsed = parseManifest(manifest, subject);
  if (parsed.kind === 'image') {
    return visit.image({ stored: manifest, manifest: parsed, child: at.child });
  }
  if (at.depth > LIMITS.indexDepth) {
    throw new SourceError('BAD_IMAGE', subject, `more than ${LIMITS.indexDepth} indexes in a row`);
  }
  for (const child of parsed.children) {
    const stored = await childManifest(images, child, subject);
    await walkImage({ images, manifest: stored }, visit, { child, depth: at.depth + 1 });
  }
  await visit.index?.(manifest);
}

export interface PlatformImage {
  /** `linux/amd64`; `attestation` for an attestation; undefined: not known. */
  readonly platform: string | undefined;
  readonly digest: Digest;
  /** Total size of manifest, config and layers. */
  readonly bytes: number;
  readonly blobs: readonly Descriptor[];
}

/** Returns the platform images of an image, in the order of its index. */
export async function platformImages(image: FoundImage): Promise<readonly PlatformImage[]> {
  const platforms: PlatformImage[] = [];
  await walkImage(image, {
    image: async (part) => {
      const blobs = blobsOf(part.manifest);
      const bytes = blobs.reduce((sum, { size }) => sum + size, part.stored.bytes.length);
      const platform = await platformOf(part, image.images);
      platforms.push({ platform, digest: part.stored.digest, bytes, blobs });
    },
  });
  return platforms;
}

async function platformOf({ child, manifest, stored }: ImagePart, images: ImageRepository) {
  if (child?.annotations.has('vnd.docker.reference.type') === true) return 'attestation';
  if (child?.platform !== undefined) return `${child.platform.os}/${child.platform.architecture}`;
  if (images.partial === true || manifest.config.size > LIMITS.configBytes) return undefined;
  const config = await images.blob(manifest.config);
  if (config === undefined) return undefined;
  const { os, architecture } = parseImageConfig(config, `${images.name}@${stored.digest}`);
  return os === undefined || architecture === undefined ? undefined : `${os}/${architecture}`;
}

/** A signature, attestation or bill of materials of an image. */
interface Attachment extends FoundImage {
  /** Its tag, or else its digest. */
  readonly reference: string;
}

/**
 * Returns the attachments of an image and of its platform images: those with a tag that is derived
 * from a digest (cosign), then referrers (OCI 1.1). Throws if a listed attachment is missing.
 */
export async function attachmentsOf(image: FoundImage): Promise<readonly Attachment[]> {
  const { images } = image;
  const platforms = await platformImages(image);
  const digests = new Set([image.manifest.digest, ...platforms.map(({ digest }) => digest)]);
  const prefixes = [...digests].map((digest) => digest.replace(':', '-'));
  const tags = ((await images.tags()) ?? []).filter(
    (tag) => isAttachmentTag(tag) && prefixes.some((prefix) => tag.startsWith(prefix)),
  );
  const referrers = new Set<Digest>();
  for (const digest of digests) {
    for (const { digest: found } of (await images.referrers?.(digest)) ?? []) referrers.add(found);
  }
  const references = [...tags.sort(byCodePoint), ...[...referrers].sort(byCodePoint)];
  const found: Attachment[] = [];
  for (const reference of references) {
    const manifest = await images.manifest(reference);
    if (manifest === undefined) {
      const what = 'it is listed as attached to an image, and is not there';
      throw new SourceError('BAD_SOURCE', `${images.name} ${reference}`, what, {
        hint: '`--no-signatures` leaves signatures and other attachments out',
      });
    }
    found.push({ images, reference, manifest });
  }
  return found;
}
