import type { Lockfile } from '../lock/lockfile.js';
import type { Repository } from '../model/package.js';
import { knownReleases, targetFor } from '../model/target/target.js';
import { compareVersions, parseVersion } from '../semver/version.js';
import { byCodePoint } from '../text/code-point-order.js';

/** What one of many sets has locked. */
export interface LockedSet {
  /** Its file. */
  readonly set: string;
  readonly lockfile: Lockfile;
}

/** Which versions of a package the sets have. */
export interface FleetPackage {
  readonly repository: Repository;
  /** The version that most sets have; of several, the newest. */
  readonly usual: string;
  /** Newest first, each with the sets that have it. */
  readonly versions: readonly { readonly version: string; readonly sets: readonly string[] }[];
}

/** How a version compares with the usual one; `other`: neither is newer, as of tags and digests. */
export type FleetStanding = 'usual' | 'behind' | 'ahead' | 'other';

/** Every package that a set has, by repository. */
export function compareFleet(sets: readonly LockedSet[]): readonly FleetPackage[] {
  const found = new Map<Repository, Map<string, string[]>>();
  for (const { set, lockfile } of sets) {
    for (const { repository, version } of lockfile.packages) {
      const versions = found.get(repository) ?? new Map<string, string[]>();
      found.set(repository, versions);
      versions.set(version, [...(versions.get(version) ?? []), set]);
    }
  }
  return [...found]
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([repository, byVersion]) => sideBySide(repository, byVersion));
}

/** The releases of Crossplane that sets are for, as of a package; undefined: all are for one. */
export function compareReleases(
  sets: readonly { readonly set: string; readonly crossplane: string }[],
): FleetPackage | undefined {
  const releases = new Map<string, string[]>();
  for (const { set, crossplane } of sets) {
    releases.set(crossplane, [...(releases.get(crossplane) ?? []), set]);
  }
  return releases.size < 2 ? undefined : sideBySide('Crossplane', releases);
}

function sideBySide(
  repository: Repository,
  byVersion: ReadonlyMap<string, readonly string[]>,
): FleetPackage {
  const versions = [...byVersion]
    .map(([version, sets]) => ({ version, sets }))
    .sort((a, b) => newestFirst(a.version, b.version));
  const most = Math.max(...versions.map((each) => each.sets.length));
  const usual = versions.find((each) => each.sets.length === most)!.version;
  return { repository, usual, versions };
}

export function standingOf(version: string, usual: string): FleetStanding {
  if (version === usual) return 'usual';
  const order = compared(version, usual);
  if (order === undefined || order === 0) return 'other';
  return order < 0 ? 'behind' : 'ahead';
}

function newestFirst(a: string, b: string): number {
  const order = compared(b, a);
  return order === undefined || order === 0 ? byCodePoint(b, a) : order;
}

/** undefined: one of them is no version. */
function compared(a: string, b: string): number | undefined {
  const { dialect } = targetFor(knownReleases().at(-1)!)!.rules;
  const [first, second] = [parseVersion(a, dialect), parseVersion(b, dialect)];
  return first && second && compareVersions(first, second);
}
