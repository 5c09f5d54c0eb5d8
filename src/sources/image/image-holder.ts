import type { AskedPackage, PackageSource } from '../../model/package-source.js';
import type { Target } from '../../model/target/target.js';
import type { ImageRepository } from '../../image/image-repository.js';

/** A source that can give whole images, beside the packages in them. */
export interface ImageHolder extends PackageSource {
  /**
   * The repository that may hold the image of a package; undefined: this source has none. What is
   * known of its parts may be asked for already.
   */
  images(candidate: AskedPackage, target: Target): Promise<ImageRepository | undefined>;
}

export function holdsImages(source: PackageSource): source is ImageHolder {
  return 'images' in source;
}
