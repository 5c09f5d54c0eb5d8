import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import type { PackageSource } from '../model/package-source.js';
import { targetFor, type Target } from '../model/target/target.js';
import { byCodePoint } from '../text/code-point-order.js';
import { isDigest } from '../text/digest.js';
import { tagsIfTold } from './tags-if-told.js';

/**
 * The lockfile with what is published beside locked tags: a pin matches by prefix, so that longer
 * tags need a prefix of their own to be installed.
 */
export async function withLongerTags(lockfile: Lockfile, source: PackageSource): Promise<Lockfile> {
  const target = targetFor(lockfile.crossplane)!;
  const packages = lockfile.packages.map(async (locked): Promise<LockedPackage> => {
    if (isDigest(locked.version)) return locked;
    const longerTags = await beginnings(locked, source, target);
    return longerTags === undefined ? locked : { ...locked, longerTags };
  });
  return { ...lockfile, packages: await Promise.all(packages) };
}

/** The lockfile as it is where nothing is pinned. */
export function withoutLongerTags(lockfile: Lockfile): Lockfile {
  const packages = lockfile.packages.map((locked): LockedPackage => {
    return locked.longerTags === undefined ? locked : { ...locked, longerTags: undefined };
  });
  return { ...lockfile, packages };
}

/**
 * One character tells enough: what matches it are longer tags alone, and those of tomorrow, too. So
 * a hundred prereleases take one prefix.
 */
async function beginnings(
  { repository, version }: LockedPackage,
  source: PackageSource,
  target: Target,
): Promise<readonly string[] | undefined> {
  const tags = await tagsIfTold(repository, source, target);
  const longer = tags?.filter((tag) => tag.startsWith(version) && tag !== version);
  if (longer === undefined) return undefined;
  return [...new Set(longer.map((tag) => tag.slice(0, version.length + 1)))].sort(byCodePoint);
}
