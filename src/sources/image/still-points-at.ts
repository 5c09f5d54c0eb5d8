import { isDigest } from '../../text/digest.js';
import type { ImageRepository } from '../../image/image-repository.js';

/** Whether a reference still points at a digest; its manifest is read only where nothing else tells. */
export async function stillPointsAt(
  images: ImageRepository,
  reference: string,
  digest: string,
): Promise<boolean> {
  if (isDigest(digest) && (await images.pointsAt?.(reference, digest)) === true) return true;
  return (await images.manifest(reference))?.digest === digest;
}
