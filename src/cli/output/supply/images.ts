import type { ClosureImage } from '../../../supply/closure-images.js';
import type { PlatformImage } from '../../../supply/image-parts.js';
import { joinReference } from '../../../model/reference.js';
import { counted } from '../counted.js';
import { jsonDocument } from '../json-document.js';
import { columns, shortVersion } from '../packages.js';

/** An image of the closure with what it is made of. */
export interface ListedImage {
  readonly image: ClosureImage;
  readonly platforms: readonly PlatformImage[];
}

/** One line a platform, and what all takes. */
export function imagesText(listed: readonly ListedImage[], crossplane: string): string {
  const rows = listed.flatMap(({ image, platforms }) =>
    platforms.map(({ platform = 'not known', digest, bytes }) => [
      joinReference(image.repository, shortVersion(image.version)),
      image.role,
      platform,
      shortVersion(digest),
      size(bytes),
    ]),
  );
  const all = `${counted(listed.length, 'image')} for Crossplane ${crossplane}, ${size(total(listed))}`;
  return `${[all, ...columns(rows)].join('\n')}\n`;
}

export function imagesJson(listed: readonly ListedImage[], crossplane: string): string {
  return jsonDocument({
    crossplane,
    images: listed.map(({ image, platforms }) => ({
      ...imageFields(image),
      platforms: platforms.map(({ platform, digest, bytes }) => ({ platform, digest, bytes })),
    })),
    bytes: total(listed),
  });
}

/** What every command says of an image. */
export function imageFields({ repository, version, digest, role }: ClosureImage) {
  return { source: repository, version, digest, role };
}

/** Blobs and manifests, each counted once: images share layers. */
function total(listed: readonly ListedImage[]): number {
  const sizes = new Map<string, number>();
  for (const { image, platforms } of listed) {
    sizes.set(image.digest, image.manifest.bytes.length);
    for (const { digest, bytes, blobs } of platforms) {
      sizes.set(
        digest,
        blobs.reduce((left, blob) => left - blob.size, bytes),
      );
      for (const blob of blobs) sizes.set(blob.digest, blob.size);
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** `12.3 MB`, as registries count. */
export function size(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
