import type { LockedPackage } from '../../lock/lockfile.js';
import type { Repository } from '../../model/package.js';
import type { PackageSource } from '../../model/package-source.js';
import { targetFor, type TargetRules } from '../../model/target/target.js';
import { parseConstraint } from '../../semver/constraint.js';
import { compareVersions, isIncomplete, parseVersion, type Version } from '../../semver/version.js';
import { isDigest } from '../../text/digest.js';
import { lockedAt, lockedIn, type PlanEnds } from './locked-at.js';

/** Versions that are read in the search for some in between: of one package, and of all together. */
const MAX_READ_EACH = 40;
const MAX_READ = 120;

/**
 * The versions that a package may pass through, as they would be locked: no way leads backwards, so
 * those between its ends, those below the one that is added, those above the one that is removed;
 * of a package in neither lockfile all that are asked for. None of one that stays as it is.
 */
export class StopoverVersions {
  readonly #ends: PlanEnds;
  readonly #source: PackageSource;
  readonly #read = new Map<string, Promise<LockedPackage | undefined>>();
  readonly #readOf = new Map<Repository, number>();

  constructor(ends: PlanEnds, source: PackageSource) {
    this.#ends = ends;
    this.#source = source;
  }

  /** The newest first; `constraints`: those that something on the way has on the package. */
  async of(repository: Repository, constraints: readonly string[]): Promise<LockedPackage[]> {
    const found: LockedPackage[] = [];
    for (const version of await this.#versions(repository, constraints)) {
      const locked = await this.#at(repository, version);
      if (locked !== undefined) found.push(locked);
    }
    return found;
  }

  async #versions(repository: Repository, constraints: readonly string[]): Promise<string[]> {
    const { from, to } = this.#ends;
    const target = targetFor(to.crossplane)!;
    const { rules } = target;
    const ends = [from, to].map((end) => lockedIn(end, repository)?.version);
    const isStranger = ends.every((end) => end === undefined);
    const admits = isStranger ? askedFor(constraints, rules) : wayBetween(ends, rules);
    if (admits === undefined) return [];
    const versions = ((await this.#source.tags(repository, target)) ?? [])
      .flatMap((tag) => parseVersion(tag, rules.dialect) ?? [])
      .filter((version) => !(rules.skipsIncompleteTags && isIncomplete(version)))
      .filter(admits)
      .sort((a, b) => compareVersions(b, a));
    const digests = isStranger && rules.digestDependencies ? constraints.filter(isDigest) : [];
    return [...new Set([...digests, ...versions.map(({ raw }) => raw)])];
  }

  #at(repository: Repository, version: string): Promise<LockedPackage | undefined> {
    const key = `${repository}@${version}`;
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const count = this.#readOf.get(repository) ?? 0;
    if (count === MAX_READ_EACH || this.#read.size === MAX_READ) return Promise.resolve(undefined);
    this.#readOf.set(repository, count + 1);
    const read = lockedAt({ repository, version }, this.#ends, this.#source);
    this.#read.set(key, read);
    return read;
  }
}

type Filter = (version: Version) => boolean;

/** Versions that one of these admits. */
function askedFor(constraints: readonly string[], { dialect }: TargetRules): Filter {
  const ranges = constraints.map((text) => parseConstraint(text, dialect));
  return (version) =>
    version.prerelease === '' && ranges.some((range) => !range.invalid && range.admits(version));
}

/** Versions between the ends of a package, at one of which it may be missing; undefined: it has no order. */
function wayBetween(
  [before, after]: readonly (string | undefined)[],
  { dialect }: TargetRules,
): Filter | undefined {
  const ends = [before, after].flatMap((end) => end ?? []);
  const versions = ends.flatMap((end) => parseVersion(end, dialect) ?? []);
  if (versions.length < ends.length) return undefined;
  const takesPrereleases = versions.some(({ prerelease }) => prerelease !== '');
  return (version) => {
    if (version.prerelease !== '' && !takesPrereleases) return false;
    const [first, second] = versions.map((end) => Math.sign(compareVersions(version, end)));
    if (second !== undefined) return first! * second < 0;
    return before === undefined ? first! < 0 : first! > 0;
  };
}
