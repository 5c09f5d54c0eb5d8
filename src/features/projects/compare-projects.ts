import type { Lockfile } from '../../project/lockfile/lockfile.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { knownReleases, targetFor } from '../../crossplane/releases/target.js';
import { compareVersions, parseVersion } from '../../crossplane/constraints/version.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';

/** The lockfile of one of several projects. */
interface LockedSet {
  /** The xpkg.yaml of the project. */
  readonly set: string;
  readonly lockfile: Lockfile;
}

/** The versions of a package in several projects. */
export interface FleetPackage {
  readonly repository: Repository;
  /** The most frequent version; the newest of several. */
  readonly usual: string;
  /** The versions, newest first, each with the projects that have it. */
  readonly versions: readonly { readonly version: string; readonly sets: readonly string[] }[];
}

/** How a version compares with the usual one; `other`: neither is newer, as with digests. */
type FleetStanding = 'usual' | 'behind' | 'ahead' | 'other';

/** Returns every package of several projects, sorted by repository. */
export function compareFleet(sets: readonly LockedSet[]): readonly FleetPackage[] {
  const found = new Map<Repository, Map<string, string[]>>();
  for (const { set, lockfile } of sets) {
    for (const { repository, version } of lockfile.packages) {
      const versions = getOrCreate(found, repository, () => new Map<string, string[]>());
      getOrCreate(versions, version, () => []).push(set);
    }
  }
  return [...found]
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([repository, versions]) => compareProjects(repository, versions));
}

/** Compares the Crossplane releases of projects, like a package; undefined: all are equal. */
export function compareReleases(
  sets: readonly { readonly set: string; readonly crossplane: string }[],
): FleetPackage | undefined {
  const releases = new Map<string, string[]>();
  for (const { set, crossplane } of sets) getOrCreate(releases, crossplane, () => []).push(set);
  return releases.size < 2 ? undefined : compareProjects('Crossplane', releases);
}

function compareProjects(
  repository: Repository,
  byVersion: ReadonlyMap<string, readonly string[]>,
): FleetPackage {
  const versions = [...byVersion]
    .map(([version, sets]) => ({ version, sets }))
    .sort(({ version: a }, { version: b }) => compareByRelease(b, a) || byCodePoint(b, a));
  const most = Math.max(...versions.map((each) => each.sets.length));
  const usual = versions.find((each) => each.sets.length === most)!.version;
  return { repository, usual, versions };
}

export function compareWithUsual(version: string, usual: string): FleetStanding {
  if (version === usual) return 'usual';
  const order = compareByRelease(version, usual);
  if (order === 0) return 'other';
  return order < 0 ? 'behind' : 'ahead';
}

/** Compares two versions; returns 0 if one of them is no version. */
function compareByRelease(a: string, b: string): number {
  const { dialect } = targetFor(knownReleases().at(-1)!)!.rules;
  const [first, second] = [parseVersion(a, dialect), parseVersion(b, dialect)];
  return first === undefined || second === undefined ? 0 : compareVersions(first, second);
}
