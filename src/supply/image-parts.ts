import type { Descriptor } from '../image/descriptor.js';
import type { ImageRepository, StoredManifest } from '../image/image-repository.js';
import { LIMITS } from '../image/limits.js';
import { manifestOfChild } from '../image/locate-package.js';
import { parseManifest, type ImageManifest } from '../image/manifest.js';
import { SourceError } from '../model/source-error.js';
import type { Digest } from '../text/digest.js';
import { fieldsOf, parseJson, stringOf } from '../text/json.js';

/** One manifest of an image: of a platform, an attestation, or the only one there is. */
export interface ImagePart {
  readonly stored: StoredManifest;
  readonly manifest: ImageManifest;
  /** What its index says of it; undefined: it stands alone. */
  readonly child: Descriptor | undefined;
}

/**
 * Visits the manifests of an image, those that an index names before the index itself, so that what
 * is copied in this order never names what is not there.
 */
export async function walkImage(
  { images, manifest }: { readonly images: ImageRepository; readonly manifest: StoredManifest },
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
    const what = `more than ${LIMITS.indexDepth} indexes in a row`;
    throw new SourceError('BAD_IMAGE', subject, what);
  }
  for (const child of parsed.children) {
    const stored = await manifestOfChild(images, child, subject);
    await walkImage({ images, manifest: stored }, visit, { child, depth: at.depth + 1 });
  }
  await visit.index?.(manifest);
}

/** What is pulled for one platform. */
export interface PlatformImage {
  /** `linux/amd64`; `attestation` for what is said of another; undefined: not known. */
  readonly platform: string | undefined;
  readonly digest: Digest;
  /** Manifest, config and layers. */
  readonly bytes: number;
  readonly blobs: readonly Descriptor[];
}

/** What an image is made of, in the order of its index. */
export async function platformImages(image: {
  readonly images: ImageRepository;
  readonly manifest: StoredManifest;
}): Promise<readonly PlatformImage[]> {
  const platforms: PlatformImage[] = [];
  await walkImage(image, {
    image: async (part) => {
      const blobs = [part.manifest.config, ...part.manifest.layers];
      const bytes = blobs.reduce((sum, { size }) => sum + size, part.stored.bytes.length);
      const platform = await platformOf(part, image.images);
      platforms.push({ platform, digest: part.stored.digest, bytes, blobs });
    },
  });
  return platforms;
}

async function platformOf(
  { child, manifest }: ImagePart,
  images: ImageRepository,
): Promise<string | undefined> {
  if (child?.annotations.has('vnd.docker.reference.type') === true) return 'attestation';
  if (child?.platform !== undefined) return `${child.platform.os}/${child.platform.architecture}`;
  if (images.partial === true || manifest.config.size > LIMITS.configBytes) return undefined;
  const config = await images.blob(manifest.config);
  const fields = config && fieldsOf(parseJson(config)?.value);
  const [os, architecture] = [fields?.get('os'), fields?.get('architecture')].map(stringOf);
  return os === undefined || architecture === undefined ? undefined : `${os}/${architecture}`;
}
