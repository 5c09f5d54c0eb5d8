import { locatePackage } from '../../image/locate-package.js';
import type { IndexPackage, IndexVersion } from '../../model/index-file.js';
import type { Candidate, Repository } from '../../model/package.js';
import { isAttachmentTag } from '../../model/reference.js';
import type { Target } from '../../model/target/target.js';
import { parseVersion } from '../../semver/version.js';
import type { ImageHolder } from '../image/image-holder.js';
import { stillPointsAt } from '../image/still-points-at.js';

/**
 * A package as its tags tell it, with what an index says of each: no layer is read. A tag that is new
 * to the index and no version is left out, for only its bytes tell whether it is a package.
 */
export async function comparedTags(
  source: ImageHolder,
  repository: Repository,
  tags: readonly string[],
  { before, target }: { readonly before: IndexPackage | undefined; readonly target: Target },
): Promise<IndexPackage> {
  const { kind = 'Unknown', versions = {} } = before ?? {};
  const found = await Promise.all(
    tags
      .filter((tag) => !isAttachmentTag(tag))
      .map(async (version): Promise<readonly (readonly [string, IndexVersion])[]> => {
        const held = Object.hasOwn(versions, version) ? versions[version] : undefined;
        const entry = await taggedNow(source, { repository, version }, target, held);
        return entry === undefined ? [] : [[version, entry]];
      }),
  );
  return { kind, versions: Object.fromEntries(found.flat()) };
}

/** undefined: there is no package of that tag. */
async function taggedNow(
  source: ImageHolder,
  candidate: Candidate,
  target: Target,
  held: IndexVersion | undefined,
): Promise<IndexVersion | undefined> {
  const { version } = candidate;
  const images = await source.images(candidate, target);
  if (images === undefined) return undefined;
  if (held === undefined) {
    if (parseVersion(version, target.rules.dialect) === undefined) return undefined;
    const located = await locatePackage(images, version, target.rules);
    if (located === undefined) return undefined;
    const { at, digest } = located;
    return at.place !== 'layer' && at.artifact !== undefined ? undefined : { digest };
  }
  if (held.digest === undefined || (await stillPointsAt(images, version, held.digest))) return held;
  const digest = (await images.manifest(version))?.digest;
  return digest && { ...held, digest };
}
