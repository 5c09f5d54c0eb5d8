import type { ImageRepository } from '../../image/image-repository.js';
import { locatePackage } from '../../image/locate-package.js';
import type { IndexPackage, IndexVersion } from '../../model/index-file.js';
import type { Repository } from '../../model/package.js';
import { isAttachmentTag } from '../../model/reference.js';
import type { Target } from '../../model/target/target.js';
import { parseVersion } from '../../semver/version.js';
import type { ImageHolder } from '../image/image-holder.js';
import { stillPointsAt } from '../image/still-points-at.js';

/**
 * A package as its tags tell it, with what an index says of each: no layer is read. A tag that is new
 * to the index and no version is left out, for only its bytes tell whether it is a package. undefined:
 * the source has some of it as files, and no image.
 */
export async function comparedTags(
  source: ImageHolder,
  repository: Repository,
  tags: readonly string[],
  { before, target }: { readonly before: IndexPackage | undefined; readonly target: Target },
): Promise<IndexPackage | undefined> {
  const { kind = 'Unknown', versions = {} } = before ?? {};
  const tagged = tags.filter((tag) => !isAttachmentTag(tag));
  const found = await Promise.all(
    tagged.map(async (version) => {
      const images = await source.images({ repository, version }, target);
      const held = Object.hasOwn(versions, version) ? versions[version] : undefined;
      return images && (await taggedNow(images, version, target, held));
    }),
  );
  if (found.includes(undefined)) return undefined;
  const entries = found.flatMap((entry, at) =>
    entry === undefined || entry === 'other' ? [] : [[tagged[at]!, entry] as const],
  );
  return { kind, versions: Object.fromEntries(entries) };
}

/** `other`: what is there is no package; undefined: there is no image. */
async function taggedNow(
  images: ImageRepository,
  version: string,
  target: Target,
  held: IndexVersion | undefined,
): Promise<IndexVersion | 'other' | undefined> {
  if (held === undefined) {
    if (parseVersion(version, target.rules.dialect) === undefined) return 'other';
    const located = await locatePackage(images, version, target.rules);
    if (located === undefined) return undefined;
    const { at, digest } = located;
    return at.place !== 'layer' && at.artifact !== undefined ? 'other' : { digest };
  }
  if (held.digest === undefined || (await stillPointsAt(images, version, held.digest))) return held;
  const digest = (await images.manifest(version))?.digest;
  return digest && { ...held, digest };
}
