import { isDeepStrictEqual } from 'node:util';
import type { Between, Cause } from './journey.js';
import type { Impasse } from './ordering.js';
import type { PlannedJourney, SolvedJourney } from './steps.js';
import { getOrCreate } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { parseConstraint } from '../../crossplane/constraints/constraint.js';
import { installableVersions } from '../../crossplane/constraints/installable-versions.js';
import {
  compareVersions,
  parseVersion,
  type Version,
} from '../../crossplane/constraints/version.js';
import { isRejection, judge } from '../../crossplane/packages/admission.js';
import { objectNameOf } from '../../crossplane/packages/object-names.js';
import type { Candidate, PackageKind, Repository } from '../../crossplane/packages/package.js';
import {
  isNewer,
  knownReleases,
  type Target,
  targetFor,
} from '../../crossplane/releases/target.js';
import type { TargetRules } from '../../crossplane/releases/release-facts.js';
import type { LockedPackage, Lockfile, ObjectTemplate } from '../../project/lockfile/lockfile.js';
import { assignNames } from '../../project/manifests/object-names.js';
import { SourceReader } from '../../resolver/driver/source-reader.js';
import type { PackageSource } from '../../sources/package-source.js';

/** Maximum number of intermediate stops of one journey: of packages and of Crossplane. */
const MAX_STOPOVERS = 4;
/** Maximum number of journeys that the search plans, and of packages in all of them. */
const MAX_PLANNED = 1_000;
const MAX_PACKAGES_PLANNED = 60_000;

/** The lockfiles at both ends of a plan. */
export interface PlanEnds {
  readonly from: Lockfile;
  readonly to: Lockfile;
}

interface Search extends PlanEnds {
  readonly impasse: Impasse;
  readonly planVia: (via: Between) => Promise<PlannedJourney>;
  readonly open: () => Promise<PackageSource>;
}

interface FoundJourney {
  readonly between: Between;
  readonly planned: SolvedJourney;
}

/** A journey without an order so far. */
interface BlockedJourney {
  readonly between: Between;
  readonly impasse: Impasse;
}

/**
 * Returns intermediate releases or package versions that give a journey an order, with as few stops
 * as possible; undefined: none were found.
 *
 * A stop can only help on a route that the impasse blames, or for a missing package. So each
 * blocked journey is tried with one more stop, first those that removed a cause of the impasse.
 */
export async function findIntermediateVersions(search: Search): Promise<FoundJourney | undefined> {
  const size = search.from.packages.length + search.to.packages.length;
  const limit = Math.min(MAX_PLANNED, Math.ceil(MAX_PACKAGES_PLANNED / size));
  const versions = new StopoverVersions(search);
  const tried = new Set<string>();
  let level: readonly BlockedJourney[] = [{ between: {}, impasse: search.impasse }];
  for (let stops = 0; stops < MAX_STOPOVERS; stops += 1) {
    const [advanced, same]: [BlockedJourney[], BlockedJourney[]] = [[], []];
    for (const blocked of level) {
      for await (const between of withOneMoreStop(blocked, search, versions)) {
        const key = keyOf(between);
        if (tried.has(key)) continue;
        if (tried.size === limit) return undefined;
        tried.add(key);
        const planned = await search.planVia(between);
        if (planned.status === 'planned') return { between, planned };
        const isSame = isStillBlocked(blocked.impasse, planned);
        (isSame ? same : advanced).push({ between, impasse: planned });
      }
    }
    level = [...advanced, ...same];
  }
  return undefined;
}

/** Yields the intermediate stops of a blocked journey with one more. */
async function* withOneMoreStop(
  { between: { releases, packages = [] }, impasse }: BlockedJourney,
  ends: PlanEnds,
  versions: StopoverVersions,
): AsyncGenerator<Between> {
  if (releases === undefined) {
    for (const one of knownReleasesBetween(ends)) yield { releases: [one], packages };
  }
  for (const [repository, constraints] of blamedPackages(impasse)) {
    for (const locked of await versions.of(repository, constraints)) {
      yield { releases, packages: withStop(packages, locked, ends) };
    }
  }
}

/** Adds a stop of one package, in the direction in which the package moves. */
function withStop(
  packages: readonly LockedPackage[],
  locked: LockedPackage,
  { from, to }: PlanEnds,
): readonly LockedPackage[] {
  const isSame = ({ repository }: LockedPackage) => repository === locked.repository;
  const order = byVersion(targetFor(to.crossplane)!);
  const [before, after] = [from.packages.find(isSame), to.packages.find(isSame)];
  const isDowngrade = before !== undefined && after !== undefined && order(before, after) > 0;
  const own = [...packages.filter(isSame), locked].sort(order);
  return [...packages.filter((each) => !isSame(each)), ...(isDowngrade ? own.reverse() : own)];
}

/** Compares by version. Digests count as equal. */
function byVersion({ rules }: Target): (a: LockedPackage, b: LockedPackage) => number {
  return (a, b) => {
    const [one, other] = [a, b].map(({ version }) => parseVersion(version, rules.dialect));
    return one === undefined || other === undefined ? 0 : compareVersions(one, other);
  };
}

/** Returns the known releases between both ends, newest first. */
function knownReleasesBetween({ from, to }: PlanEnds): Target[] {
  const [old, young] = [targetFor(from.crossplane)!, targetFor(to.crossplane)!];
  const [low, high] = isNewer(young, old) ? [old, young] : [young, old];
  return knownReleases()
    .map((version) => targetFor(version)!)
    .filter((release) => isNewer(release, low) && isNewer(high, release))
    .reverse();
}

function keyOf({ releases = [], packages = [] }: Between): string {
  const versions = packages.map(({ repository, version }) => `${repository}@${version}`);
  return [...releases.map(({ version }) => version), ...new Set(versions.sort())].join(' ');
}

/** Whether every package that was blocked still is. */
function isStillBlocked(before: Impasse, after: Impasse): boolean {
  const blocked = new Set(after.causes.flatMap(packagesIn));
  return before.causes.flatMap(packagesIn).every((repository) => blocked.has(repository));
}

/** Returns the packages that an impasse blames, in its order, with the constraints on them. */
function blamedPackages({ blamed }: Impasse): ReadonlyMap<Repository, readonly string[]> {
  const packages = new Map<Repository, string[]>();
  for (const cause of blamed) {
    for (const repository of packagesIn(cause)) {
      const constraints = getOrCreate(packages, repository, () => []);
      if (!('constraint' in cause) || requiredIn(cause) !== repository) continue;
      if (!constraints.includes(cause.constraint)) constraints.push(cause.constraint);
    }
  }
  return packages;
}

function requiredIn({ required }: Extract<Cause, { constraint: string }>): Repository {
  return typeof required === 'string' ? required : required.repository;
}

function packagesIn(cause: Cause): readonly Repository[] {
  if (cause.rule === 'cycle') return cause.members.map(({ repository }) => repository);
  if ('locked' in cause) return [cause.locked.repository];
  if ('from' in cause) return [cause.from.repository, cause.to.repository];
  return [cause.requirer.repository, requiredIn(cause)];
}

/** Maximum number of versions that the search reads: of one package, and in total. */
const MAX_READ_EACH = 40;
const MAX_READ = 120;

/**
 * The intermediate versions that a package may have, as locked packages. No route leads backwards:
 * allowed are versions between both ends, below the end of an added package, and above the start of
 * a removed one. For a package in neither lockfile, all required versions. For an unchanged
 * package, none.
 */
class StopoverVersions {
  readonly #search: Search;
  #reader: SourceReader | undefined;
  readonly #packages = new Map<string, LockedPackage | undefined>();
  readonly #readOf = new Map<Repository, number>();

  constructor(search: Search) {
    this.#search = search;
  }

  /** Returns versions, newest first. `constraints`: all constraints on the package. */
  async of(repository: Repository, constraints: readonly string[]): Promise<LockedPackage[]> {
    const reader = (this.#reader ??= SourceReader.of(await this.#search.open()));
    const found: LockedPackage[] = [];
    for (const version of await this.#versions(repository, constraints, reader)) {
      const locked = await this.#readAt({ repository, version }, reader);
      if (locked !== undefined) found.push(locked);
    }
    return found;
  }

  async #versions(
    repository: Repository,
    constraints: readonly string[],
    reader: SourceReader,
  ): Promise<string[]> {
    const { from, to } = this.#search;
    const target = targetFor(to.crossplane)!;
    const { rules } = target;
    const ends = [from, to].map((end) => lockedPackageIn(end, repository)?.version);
    const isLocked = ends.some((end) => end !== undefined);
    const isAllowed = isLocked
      ? versionsBetween(ends, rules)
      : requiredVersions(constraints, rules);
    if (isAllowed === undefined) return [];
    const tags = (await reader.tags(repository, target)) ?? [];
    const versions = installableVersions(tags, target).filter(isAllowed);
    const digests = !isLocked && rules.digestDependencies ? constraints.filter(isDigest) : [];
    return [...new Set([...digests, ...versions.map(({ raw }) => raw)])];
  }

  async #readAt(candidate: Candidate, reader: SourceReader): Promise<LockedPackage | undefined> {
    const { repository, version } = candidate;
    const key = `${repository}@${version}`;
    const count = this.#readOf.get(repository) ?? 0;
    const isLimited = count === MAX_READ_EACH || this.#packages.size === MAX_READ;
    if (isLimited || this.#packages.has(key)) return this.#packages.get(key);
    this.#readOf.set(repository, count + 1);
    const locked = await lockedAt(candidate, this.#search, reader);
    this.#packages.set(key, locked);
    return locked;
  }
}

type Filter = (version: Version) => boolean;

/** Returns a filter for versions that one of the constraints admits. */
function requiredVersions(constraints: readonly string[], { dialect }: TargetRules): Filter {
  const ranges = constraints.map((text) => parseConstraint(text, dialect));
  return (version) =>
    version.prerelease === '' && ranges.some((range) => !range.invalid && range.admits(version));
}

/** Returns a filter for versions between both ends; undefined: they cannot be compared. */
function versionsBetween(
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

/**
 * Returns an intermediate version as a locked package; undefined: no source has it, or the release
 * rejects it. Its object comes from a lockfile. If neither has the package, it gets the settings
 * that all objects of its kind share.
 */
export async function lockedAt(
  candidate: Candidate,
  ends: PlanEnds,
  source: PackageSource,
): Promise<LockedPackage | undefined> {
  const target = targetFor(ends.to.crossplane)!;
  const reader = SourceReader.of(source);
  const fetched = await reader.fetch(candidate, target);
  if (fetched === undefined) return undefined;
  const { digest, manifest, baseLayer, packageYaml, contents } = fetched;
  const meta = judge(contents, target);
  if (isRejection(meta)) return undefined;
  const { repository, version } = candidate;
  const { kind, crossplane, requirements, owns } = meta;
  const like = lockedPackageIn(ends.to, repository) ?? lockedPackageIn(ends.from, repository);
  const { name, direct, object } = like ?? {
    name: objectNameOf(repository, target),
    direct: false,
    object: commonObject(kind, ends.to),
  };
  const image = { repository, version, digest, manifest, baseLayer, packageYaml };
  return { ...image, kind, crossplane, requirements, owns, name, direct, object };
}

function lockedPackageIn({ packages }: Lockfile, wanted: Repository): LockedPackage | undefined {
  return packages.find(({ repository }) => repository === wanted);
}

/** Returns the settings that all packages of a kind share, such as pull secrets. */
function commonObject(kind: PackageKind, { packages }: Lockfile): ObjectTemplate {
  const specs = packages.filter((each) => each.kind === kind).map(({ object }) => object.spec);
  const [first = {}, ...others] = specs;
  const common = Object.entries(first).filter(([key, value]) =>
    others.every((spec) => isDeepStrictEqual(spec[key], value)),
  );
  return { apiVersion: undefined, metadata: {}, spec: Object.fromEntries(common) };
}

/** Gives packages of neither lockfile names that no other package has at either end. */
export function withFreeNames(
  packages: readonly LockedPackage[],
  { from, to }: PlanEnds,
): readonly LockedPackage[] {
  const known = [...to.packages, ...from.packages];
  const repositories = new Set(known.map(({ repository }) => repository));
  const added = packages.filter(({ repository }) => !repositories.has(repository));
  if (added.length === 0) return packages;
  const { names } = assignNames(
    [
      ...known.map(({ repository, name }) => ({ repository, locked: name })),
      ...added.map(({ repository }) => ({ repository })),
    ],
    targetFor(to.crossplane),
  );
  return packages.map((each) =>
    repositories.has(each.repository) ? each : { ...each, name: names.get(each.repository)! },
  );
}
