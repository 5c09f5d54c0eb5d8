import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import { formatOrigin } from '../model/input-error.js';
import type { Repository } from '../model/package.js';
import type { PackageSource } from '../model/package-source.js';
import type { Request } from '../model/request.js';
import { targetFor } from '../model/target/target.js';
import { compareVersions, parseVersion, type Version } from '../semver/version.js';
import { requirersIn } from './resolve/requirers.js';
import { ruledOut, ruleText, type Ruling } from './resolve/ruled-out.js';
import { newestOf } from './resolve/newest.js';
import { toProblem } from './resolve/to-problem.js';

/** A locked package of which there are newer versions. */
export interface Outdated {
  readonly repository: Repository;
  /** As locked. */
  readonly version: string;
  /** The newest version that all requirers admit; undefined: none is newer. */
  readonly fits: string | undefined;
  readonly newest: string;
  /** Who does not admit the newest; undefined: all do. */
  readonly heldBy: string | undefined;
}

export interface OutdatedReport {
  /** By repository. */
  readonly packages: readonly Outdated[];
  readonly notes: readonly string[];
}

export interface OutdatedOptions {
  readonly source: PackageSource;
  readonly prereleases?: readonly Repository[] | undefined;
  readonly compat?: boolean | undefined;
}

/**
 * Which locked packages are not the newest, by tags alone: no package is read, so whether a newer
 * one gets along with the others is for `update` to find out.
 */
export async function outdated(
  lockfile: Lockfile,
  request: Request,
  options: OutdatedOptions,
): Promise<OutdatedReport> {
  const target = targetFor(lockfile.crossplane)!;
  const problem = toProblem(request, [target], options);
  const lists = await Promise.all(
    lockfile.packages.map(({ repository }) => options.source.tags(repository, target)),
  );
  const requirers = requirersIn(lockfile, problem);
  const notes: string[] = [];
  const packages = lockfile.packages.flatMap((locked, i): Outdated[] => {
    const tags = lists[i];
    if (tags === undefined) notes.push(`no source given knows ${locked.repository}`);
    const found = tags && compare(locked, tags, { requirers, problem, target });
    return found === undefined ? [] : [found];
  });
  return { packages, notes };
}

/** undefined: none is newer, or it is locked by what has no order: a digest, an opaque tag. */
function compare(
  { repository, version }: LockedPackage,
  tags: readonly string[],
  ruling: Ruling,
): Outdated | undefined {
  const { problem } = ruling;
  const locked = parseVersion(version, problem.dialect);
  if (locked === undefined) return undefined;
  const anyPrerelease = locked.prerelease !== '' || problem.prereleases.has(repository);
  const isNewer = (other: Version) =>
    compareVersions(other, locked) > 0 && (anyPrerelease || other.prerelease === '');
  const newest = newestOf(tags, problem, isNewer);
  if (newest === undefined) return undefined;
  const fits = newestOf(
    tags,
    problem,
    (other) => isNewer(other) && holderOf(repository, other, ruling) === undefined,
  );
  const heldBy = holderOf(repository, newest, ruling);
  return { repository, version, fits: fits?.raw, newest: newest.raw, heldBy };
}

/** What rules a version out, in words; undefined: nothing. */
function holderOf(repository: Repository, { raw }: Version, ruling: Ruling): string | undefined {
  const found = ruledOut(repository, raw, ruling);
  switch (found?.by) {
    case 'override':
      return `overridden: ${ruleText(found.rule)}`;
    case 'exclusion':
      return `excluded (${formatOrigin(found.rule.origin)})`;
    case 'requirer':
      return found.requirer.text;
    case undefined:
      return undefined;
  }
}
