import type { ImageRepository } from '../../image/image-repository.js';
import type { LockedParts } from '../../model/package.js';
import type { Digest } from '../../text/digest.js';

interface AskedImage {
  readonly images: ImageRepository;
  readonly reference: string;
  readonly parts: LockedParts | undefined;
}

/**
 * Reads an image whose parts are asked for at once, as they were when it was locked: each names the
 * next, and would take a round trip of its own. What is read is what the image names now.
 */
export async function askingAhead<T>(
  { images, reference, parts }: AskedImage,
  read: () => Promise<T>,
): Promise<T> {
  if (parts === undefined) return read();
  const { digest, manifest, baseLayer } = parts;
  const unwanted = new AbortController();
  void images.manifest(reference).then(
    (found) => found?.digest === digest || unwanted.abort(),
    () => unwanted.abort(),
  );
  expectManifest(images, manifest);
  const keeping = baseLayer && images.keepAhead?.(baseLayer, unwanted.signal);
  try {
    return await read();
  } finally {
    unwanted.abort();
    await keeping;
  }
}

/** Asks for the manifest of an image together with its index. A failure shows when it is read. */
export function expectManifest(images: ImageRepository, manifest: Digest | undefined): void {
  if (manifest !== undefined) void images.manifest(manifest).catch(() => undefined);
}
