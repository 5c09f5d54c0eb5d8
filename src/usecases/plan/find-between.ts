import { isRejection, judge } from '../../admission/judge.js';
import { checkedPackage } from '../../driver/checked-package.js';
import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import type { Repository } from '../../model/package.js';
import type { PackageSource } from '../../model/package-source.js';
import { isNewer, knownReleases, targetFor, type Target } from '../../model/target/target.js';
import type { Cause } from '../../plan/clash.js';
import type { Between } from '../../plan/journey.js';
import type { Impasse, PlannedJourney } from '../../plan/plan-journey.js';
import { compareVersions, isIncomplete, parseVersion } from '../../semver/version.js';

/** Versions that are read in the search for one in between, of all packages together. */
const MAX_READ = 60;
/** Packages that may stop over at once. */
const MAX_STOPOVERS = 4;

type Planned = Extract<PlannedJourney, { status: 'planned' }>;

interface Search {
  readonly from: Lockfile;
  readonly to: Lockfile;
  readonly impasse: Impasse;
  readonly planVia: (via: Between) => PlannedJourney;
  readonly open: () => Promise<PackageSource>;
}

interface Found {
  readonly between: Between;
  readonly planned: Planned;
}

/**
 * What, if the journey passed through it, would give it an order: a release of Crossplane, or
 * versions of packages that wait for each other. undefined: nothing that was tried.
 */
export async function findBetween(search: Search): Promise<Found | undefined> {
  const { from, to, planVia } = search;
  for (const release of releasesBetween(targetFor(from.crossplane)!, targetFor(to.crossplane)!)) {
    const planned = planVia({ release });
    if (planned.status === 'planned') return { between: { release }, planned };
  }
  return new StopoverSearch(search, await search.open()).find([], search.impasse);
}

/** Known releases between two, the newest first. */
function releasesBetween(from: Target, to: Target): Target[] {
  const [low, high] = isNewer(to, from) ? [from, to] : [to, from];
  return knownReleases()
    .map((version) => targetFor(version)!)
    .filter((release) => isNewer(release, low) && isNewer(high, release))
    .reverse();
}

class StopoverSearch {
  readonly #search: Search;
  readonly #source: PackageSource;
  readonly #known = new Map<Repository, Promise<readonly LockedPackage[]>>();
  #read = 0;

  constructor(search: Search, source: PackageSource) {
    this.#search = search;
    this.#source = source;
  }

  /** One stopover after the other: each must resolve the impasse, or lead to one of other packages. */
  async find(packages: readonly LockedPackage[], impasse: Impasse): Promise<Found | undefined> {
    if (packages.length === MAX_STOPOVERS) return undefined;
    const stuck = packagesIn(impasse);
    const further: { readonly packages: readonly LockedPackage[]; readonly impasse: Impasse }[] =
      [];
    for (const repository of stuck) {
      if (packages.some((each) => each.repository === repository)) continue;
      for (const locked of await this.#between(repository)) {
        const tried = [...packages, locked];
        const planned = this.#search.planVia({ packages: tried });
        if (planned.status === 'planned') return { between: { packages: tried }, planned };
        const next = packagesIn(planned);
        if (!stuck.every((each) => next.includes(each))) {
          further.push({ packages: tried, impasse: planned });
        }
      }
    }
    for (const one of further) {
      const found = await this.find(one.packages, one.impasse);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Published versions between those at both ends, the newest first. */
  #between(repository: Repository): Promise<readonly LockedPackage[]> {
    const known = this.#known.get(repository) ?? this.#readBetween(repository);
    this.#known.set(repository, known);
    return known;
  }

  async #readBetween(repository: Repository): Promise<readonly LockedPackage[]> {
    const isIt = (locked: LockedPackage) => locked.repository === repository;
    const { from, to } = this.#search;
    const [before, after] = [from.packages.find(isIt), to.packages.find(isIt)];
    if (before === undefined || after === undefined) return [];
    const target = targetFor(to.crossplane)!;
    const { dialect, skipsIncompleteTags } = target.rules;
    const ends = [before, after].flatMap(({ version }) => parseVersion(version, dialect) ?? []);
    const [low, high] = ends.sort(compareVersions);
    if (low === undefined || high === undefined) return [];
    const versions = ((await this.#source.tags(repository, target)) ?? [])
      .flatMap((tag) => parseVersion(tag, dialect) ?? [])
      .filter((version) => version.prerelease === '' || high.prerelease !== '')
      .filter((version) => !(skipsIncompleteTags && isIncomplete(version)))
      .filter((each) => compareVersions(each, low) > 0 && compareVersions(each, high) < 0)
      .sort((a, b) => compareVersions(b, a));
    const read: LockedPackage[] = [];
    for (const { raw } of versions) {
      if ((this.#read += 1) > MAX_READ) break;
      const locked = await lockedAt(raw, after, this.#source, target);
      if (locked !== undefined) read.push(locked);
    }
    return read;
  }
}

/** A version as it would be locked in the place of another; undefined: the release does not take it. */
export async function lockedAt(
  version: string,
  like: LockedPackage,
  source: PackageSource,
  target: Target,
): Promise<LockedPackage | undefined> {
  const candidate = { repository: like.repository, version };
  const fetched = await source.fetch(candidate, target);
  if (fetched === undefined) return undefined;
  const { digest, manifest, baseLayer, packageYaml, contents } = checkedPackage(fetched, candidate);
  const meta = judge(contents, target);
  if (isRejection(meta)) return undefined;
  const { kind, crossplane, requirements, owns } = meta;
  const bytes = { digest, manifest, baseLayer, packageYaml };
  return { ...like, version, ...bytes, kind, crossplane, requirements, owns };
}

/** The packages that an impasse is about, in the order in which it tells of them. */
function packagesIn(planned: PlannedJourney): readonly Repository[] {
  if (planned.status === 'planned') return [];
  return [...new Set(planned.causes.flatMap(aboutOf))];
}

function aboutOf(cause: Cause): readonly Repository[] {
  switch (cause.rule) {
    case 'version':
    case 'kind':
      return [cause.requirer.repository, cause.required.repository];
    case 'missing':
      return [cause.requirer.repository];
    case 'owner':
    case 'kept':
      return [cause.from.repository, cause.to.repository];
    case 'crossplane':
    case 'reference':
      return [cause.locked.repository];
    case 'cycle':
      return cause.members.map(({ repository }) => repository);
  }
}
