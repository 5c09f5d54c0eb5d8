import type { LockedPackage } from '../lock/lockfile.js';
import { inApplyOrder } from '../lock/order.js';
import type { Repository } from '../model/package.js';
import type { Target } from '../model/target/target.js';
import { CROSSPLANE, type Cause } from './clash.js';
import type { Journey, Stop } from './journey.js';
import { endsOf, type Leg } from './leg.js';
import { orderLegs, type Ordering } from './order-legs.js';
import type { Precedence } from './precedence.js';

/** What a step does to one package. */
export interface PackageMove {
  readonly repository: Repository;
  /** undefined: it is new. */
  readonly from: Stop | undefined;
  /** undefined: it is removed. */
  readonly to: Stop | undefined;
  /** Why it was not made in the step before. */
  readonly because: Cause | undefined;
}

/** What is done at once; when it is over, everything is healthy before the next begins. */
export interface PlanStep {
  /** Release that runs when the step is over. */
  readonly release: Target;
  /** Release that ran before, where Crossplane itself is what moves. */
  readonly releaseBefore: Target | undefined;
  /** What is applied, dependencies first. */
  readonly applied: readonly PackageMove[];
  /** What is removed, dependents first. */
  readonly removed: readonly PackageMove[];
  /** What is installed before. */
  readonly before: readonly Stop[];
  /** What is installed when the step is over. */
  readonly after: readonly Stop[];
}

export type PlannedJourney =
  | {
      readonly status: 'planned';
      readonly steps: readonly PlanStep[];
      /** Rules that the cluster breaks before the first step. */
      readonly brokenBefore: readonly Cause[];
    }
  | Impasse;

/** That there is no order, and what stands in the way of one. */
export interface Impasse {
  readonly status: 'impossible' | 'gave-up';
  /** The end of the journey breaks rules itself, whatever the order. */
  readonly atEnd: boolean;
  readonly causes: readonly Cause[];
  /** These, and the causes of other ways that were tried: a stop in between can only help there. */
  readonly blamed: readonly Cause[];
}

/** The steps of a journey, at each end of which the rules of the release that runs hold. */
export function planJourney(journey: Journey): PlannedJourney {
  const ordering = orderLegs(journey);
  if (!ordering.found) {
    const { where, causes, blamed } = ordering;
    const status = where === 'gave-up' ? 'gave-up' : 'impossible';
    return { status, atEnd: where === 'end', causes, blamed };
  }
  const { brokenBefore } = ordering;
  return { status: 'planned', steps: stepsOf(journey, ordering), brokenBefore };
}

function stepsOf(
  journey: Journey,
  { layers: grouped, precedences }: Extract<Ordering, { found: true }>,
): PlanStep[] {
  const layers = grouped.map((groups) => groups.flat());
  const layerOf = new Map(layers.flatMap((legs, layer) => legs.map((leg) => [leg, layer])));
  const reasons = new Map<Leg, Precedence>();
  for (const each of precedences) {
    const follows = layerOf.get(each.before)! + 1 === layerOf.get(each.after);
    if (follows && each.causes.length > 0) reasons.set(each.after, each);
  }
  const at = journey.routes.map(() => 0);
  let release = journey.releases[0]!;
  return layers.map((legs): PlanStep => {
    const before = installed(journey, at);
    const releaseBefore = release;
    for (const { route, to } of legs) {
      if (route === CROSSPLANE) release = journey.releases[to]!;
      else at[route] = to;
    }
    const after = installed(journey, at);
    const moves = legs.flatMap((leg) => moveOf(leg, journey, reasons.get(leg)?.causes[0]) ?? []);
    return {
      release,
      releaseBefore: release === releaseBefore ? undefined : releaseBefore,
      applied: sorted(moves, ({ to }) => to),
      removed: sorted(moves, ({ from }) => from)
        .filter(({ to }) => to === undefined)
        .reverse(),
      before,
      after,
    };
  });
}

function installed({ routes }: Journey, at: readonly number[]): Stop[] {
  return routes.flatMap(({ stops }, route) => stops[at[route]!] ?? []);
}

function moveOf(
  leg: Leg,
  { routes }: Journey,
  because: Cause | undefined,
): PackageMove | undefined {
  const route = routes[leg.route];
  if (route === undefined) return undefined;
  const [from, to] = endsOf(leg, route);
  return { repository: route.repository, from, to, because };
}

/** Moves that have this end, by the dependencies of the package there. */
function sorted(
  moves: readonly PackageMove[],
  end: (move: PackageMove) => Stop | undefined,
): PackageMove[] {
  const byPackage = new Map(
    moves.flatMap((move): [LockedPackage, PackageMove][] => {
      const stop = end(move);
      return stop === undefined ? [] : [[stop.locked, move]];
    }),
  );
  return inApplyOrder([...byPackage.keys()]).map((locked) => byPackage.get(locked)!);
}
