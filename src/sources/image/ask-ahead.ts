import type { LockedParts } from '../../model/package.js';
import type { ImageRepository } from '../../image/image-repository.js';

/**
 * Reads an image whose parts are asked for at once, as they were when it was locked: each names the
 * next, and would take a round trip of its own. What is read is what the image names now.
 */
export async function askingAhead<T>(
  images: ImageRepository,
  parts: LockedParts,
  read: () => Promise<T>,
): Promise<T> {
  const { baseLayer } = parts;
  const unwanted = new AbortController();
  expectManifest(images, parts);
  if (baseLayer !== undefined)
    void images.keepAhead?.(baseLayer, unwanted.signal).catch(() => undefined);
  try {
    return await read();
  } finally {
    unwanted.abort();
  }
}

/** Asks for the manifest of an image together with its index. A failure shows when it is read. */
export function expectManifest(images: ImageRepository, { manifest }: LockedParts): void {
  if (manifest !== undefined) void images.manifest(manifest).catch(() => undefined);
}
