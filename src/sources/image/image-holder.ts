import type { Candidate } from '../../model/package.js';
import type { PackageSource } from '../../model/package-source.js';
import type { Target } from '../../model/target/target.js';
import type { ImageRepository } from '../../image/image-repository.js';

/** A source that has images to hand over, not only what they say. */
export interface ImageHolder extends PackageSource {
  /** Where the image of a package would be, by its digest; undefined: not here. */
  images(candidate: Candidate, target: Target): Promise<ImageRepository | undefined>;
}

export function holdsImages(source: PackageSource): source is ImageHolder {
  return 'images' in source;
}
