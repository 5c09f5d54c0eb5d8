import type { ProblemOptions } from './to-problem.js';
import { byCodePoint } from '../../base/collections.js';
import { type Digest, isDigest } from '../../base/digest.js';
import { undefinedIfFailed } from '../../base/errors.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import { type Target, targetFor } from '../../crossplane/releases/target.js';
import type { LockedPackage, Lockfile } from '../../project/lockfile/lockfile.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import type { PackageSource } from '../../sources/package-source.js';
import type { Driver } from '../driver/driver.js';
import { SourceReader } from '../driver/source-reader.js';

/**
 * Returns the locked tags that point to another digest now, among those that the search has read.
 * `answer` is the new lockfile. The result leaves out unlocked packages that moved to another
 * version. It includes locked packages that moved, because the new content may be the cause.
 */
export async function movedTagMismatches(
  driver: Driver,
  target: Target,
  { lockfile, unlock }: Pick<ProblemOptions, 'lockfile' | 'unlock'>,
  answer?: Lockfile,
): Promise<Mismatch[]> {
  const answerVersions = new Map(answer?.packages.map((one) => [one.repository, one.version]));
  const found: Mismatch[] = [];
  for (const { repository, version, digest } of lockfile?.packages ?? []) {
    const isUnlocked = unlock === 'all' || unlock?.has(repository) === true;
    if (digest === undefined || (isUnlocked && answerVersions.get(repository) !== version))
      continue;
    const now = (await driver.packageIfRead({ repository, version }, target))?.digest;
    if (now === undefined || now === digest) continue;
    found.push(movedTagMismatch({ repository, version, digest }, now));
  }
  return found;
}

/** Describes a moved tag. `isAvailable`: a source still has the locked digest. */
export function movedTagMismatch(
  { repository, version, digest }: Candidate & { readonly digest: Digest },
  found: Digest,
  isAvailable = false,
): Mismatch {
  const availabilityText = isAvailable ? ', which are still there' : '';
  const text = `the tag was moved: \`${version}\` names other bytes than were locked${availabilityText}`;
  return { kind: 'tag-moved', repository, version, text, locked: digest, found };
}

/**
 * Returns the lockfile with the prefixes of longer tags of each package. An ImageConfig of a pin
 * matches by prefix, so it needs exceptions for published tags that begin with the locked tag: that
 * tag and one more character. Such a prefix matches only longer tags, including future ones.
 */
export async function withLongerTags(lockfile: Lockfile, source: PackageSource): Promise<Lockfile> {
  const target = targetFor(lockfile.crossplane)!;
  const packages = lockfile.packages.map(async (locked): Promise<LockedPackage> => {
    const { repository, version } = locked;
    const tags = isDigest(version) ? undefined : await tagsIfAvailable(repository, source, target);
    if (tags === undefined) return locked;
    const longerTags = tags.filter((tag) => tag.startsWith(version) && tag !== version);
    const prefixes = new Set(longerTags.map((tag) => tag.slice(0, version.length + 1)));
    return { ...locked, longerTags: [...prefixes].sort(byCodePoint) };
  });
  return { ...lockfile, packages: await Promise.all(packages) };
}

/** Returns the lockfile without the prefixes of longer tags, for projects without pins. */
export function withoutLongerTags(lockfile: Lockfile): Lockfile {
  const packages = lockfile.packages.map((locked) => ({ ...locked, longerTags: undefined }));
  return { ...lockfile, packages };
}

/** Returns tags; undefined if a registry serves no list to this user, or a cache has none. */
export async function tagsIfAvailable(
  repository: Repository,
  source: PackageSource,
  target: Target,
): Promise<readonly string[] | undefined> {
  const reader = SourceReader.of(source);
  return undefinedIfFailed(reader.tags(repository, target), ['OFFLINE', 'UNAUTHORIZED']);
}
