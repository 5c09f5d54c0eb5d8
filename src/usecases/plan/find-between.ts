import type { LockedPackage } from '../../lock/lockfile.js';
import type { PackageSource } from '../../model/package-source.js';
import type { Repository } from '../../model/package.js';
import { isNewer, knownReleases, targetFor, type Target } from '../../model/target/target.js';
import type { Cause } from '../../plan/clash.js';
import type { Between } from '../../plan/journey.js';
import type { Impasse, PlannedJourney } from '../../plan/plan-journey.js';
import { compareVersions, parseVersion } from '../../semver/version.js';
import type { PlanEnds } from './locked-at.js';
import { StopoverVersions } from './stopover-versions.js';

/** Stops in between that one journey may have: of packages, and of Crossplane. */
const MAX_STOPOVERS = 4;
/** Journeys that are planned in the search for one that has an order, and the packages in all of them. */
const MAX_PLANNED = 1_000;
const MAX_PACKAGES_PLANNED = 60_000;

type Planned = Extract<PlannedJourney, { status: 'planned' }>;

interface Search extends PlanEnds {
  readonly impasse: Impasse;
  readonly planVia: (via: Between) => PlannedJourney;
  readonly open: () => Promise<PackageSource>;
}

interface Found {
  readonly between: Between;
  readonly planned: Planned;
}

/** A journey that has no order yet. */
interface Stuck {
  readonly between: Between;
  readonly impasse: Impasse;
}

/**
 * What, if the journey passed through it, would give it an order: a release of Crossplane, or
 * versions of packages, in as few stops as may be. undefined: nothing that was tried.
 *
 * A stop helps only on a route that an impasse blames, or where something is missing. So each
 * journey that is stuck is tried with one stop more, and those first that have come further.
 */
export async function findBetween(search: Search): Promise<Found | undefined> {
  return new StopoverSearch(search).find();
}

class StopoverSearch {
  readonly #search: Search;
  readonly #tried = new Set<string>();
  #versions: StopoverVersions | undefined;

  constructor(search: Search) {
    this.#search = search;
  }

  async find(): Promise<Found | undefined> {
    const { from, to } = this.#search;
    const size = from.packages.length + to.packages.length;
    const limit = Math.min(MAX_PLANNED, Math.ceil(MAX_PACKAGES_PLANNED / size));
    let level: readonly Stuck[] = [{ between: {}, impasse: this.#search.impasse }];
    for (let stops = 0; stops < MAX_STOPOVERS; stops += 1) {
      const [further, same]: [Stuck[], Stuck[]] = [[], []];
      for (const stuck of level) {
        for await (const between of this.#withOneMore(stuck)) {
          const key = keyOf(between);
          if (this.#tried.has(key)) continue;
          if (this.#tried.size === limit) return undefined;
          this.#tried.add(key);
          const planned = this.#search.planVia(between);
          if (planned.status === 'planned') return { between, planned };
          const isFurther = !isStill(stuck.impasse, planned);
          (isFurther ? further : same).push({ between, impasse: planned });
        }
      }
      level = [...further, ...same];
    }
    return undefined;
  }

  async *#withOneMore({ between, impasse }: Stuck): AsyncGenerator<Between> {
    const { release, packages = [] } = between;
    if (release === undefined) {
      for (const one of releasesBetween(this.#search)) yield { release: one, packages };
    }
    const { from, to, open } = this.#search;
    this.#versions ??= new StopoverVersions({ from, to }, await open());
    for (const [repository, constraints] of wantedIn(impasse)) {
      for (const locked of await this.#versions.of(repository, constraints)) {
        yield { release, packages: this.#passing(packages, locked) };
      }
    }
  }

  /** Stops of one package in the direction in which it moves. */
  #passing(packages: readonly LockedPackage[], locked: LockedPackage): readonly LockedPackage[] {
    const { from, to } = this.#search;
    const isIt = ({ repository }: LockedPackage) => repository === locked.repository;
    const order = byVersion(targetFor(to.crossplane)!);
    const [before, after] = [from.packages.find(isIt), to.packages.find(isIt)];
    const isBackwards = before !== undefined && after !== undefined && order(before, after) > 0;
    const own = [...packages.filter(isIt), locked].sort(order);
    return [...packages.filter((each) => !isIt(each)), ...(isBackwards ? own.reverse() : own)];
  }
}

/** Digests are not compared. */
function byVersion({ rules }: Target): (a: LockedPackage, b: LockedPackage) => number {
  return (a, b) => {
    const [one, other] = [a, b].map(({ version }) => parseVersion(version, rules.dialect));
    return one === undefined || other === undefined ? 0 : compareVersions(one, other);
  };
}

/** Known releases between two, the newest first. */
function releasesBetween({ from, to }: PlanEnds): Target[] {
  const [old, young] = [targetFor(from.crossplane)!, targetFor(to.crossplane)!];
  const [low, high] = isNewer(young, old) ? [old, young] : [young, old];
  return knownReleases()
    .map((version) => targetFor(version)!)
    .filter((release) => isNewer(release, low) && isNewer(high, release))
    .reverse();
}

function keyOf({ release, packages = [] }: Between): string {
  const versions = packages.map(({ repository, version }) => `${repository}@${version}`);
  return [release?.version ?? '', ...new Set(versions.sort())].join(' ');
}

/** Whether all that was stuck is. */
function isStill(before: Impasse, after: Impasse): boolean {
  const stuck = new Set(after.causes.flatMap(aboutOf));
  return before.causes.flatMap(aboutOf).every((repository) => stuck.has(repository));
}

/** The packages that an impasse is about, in the order in which it tells of them, with what is asked of them. */
function wantedIn({ blamed }: Impasse): ReadonlyMap<Repository, readonly string[]> {
  const wanted = new Map<Repository, string[]>();
  for (const cause of blamed) {
    for (const repository of aboutOf(cause)) {
      const asked = wanted.get(repository) ?? [];
      wanted.set(repository, asked);
      if (!('constraint' in cause) || requiredBy(cause) !== repository) continue;
      if (!asked.includes(cause.constraint)) asked.push(cause.constraint);
    }
  }
  return wanted;
}

function requiredBy({ required }: Extract<Cause, { constraint: string }>): Repository {
  return typeof required === 'string' ? required : required.repository;
}

function aboutOf(cause: Cause): readonly Repository[] {
  switch (cause.rule) {
    case 'version':
    case 'kind':
    case 'missing':
      return [cause.requirer.repository, requiredBy(cause)];
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
