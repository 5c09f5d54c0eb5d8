import {
  type Cause,
  type Conflict,
  controllerConfigConflicts,
  CROSSPLANE,
  type Journey,
  type Leg,
  legsOf,
  ownershipConflicts,
  type PlacedStop,
  releaseConflicts,
  requirementConflicts,
} from './journey.js';
import { getOrCreate, stronglyConnectedComponents } from '../../base/collections.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { isNewer } from '../../crossplane/releases/target.js';

/** A rule that one leg comes before another. Without causes, it is a route or a preference. */
export interface Precedence {
  readonly before: Leg;
  readonly after: Leg;
  readonly causes: readonly Cause[];
}

/** A graph of precedences between legs. */
class Precedences {
  readonly #after: ReadonlyMap<Leg, Map<Leg, Precedence>>;

  constructor(legs: readonly Leg[]) {
    this.#after = new Map(legs.map((leg) => [leg, new Map<Leg, Precedence>()]));
  }

  add(before: Leg, after: Leg, cause?: Cause): void {
    const known = this.#after.get(before)!;
    const causes = known.get(after)?.causes ?? [];
    known.set(after, { before, after, causes: cause === undefined ? causes : [...causes, cause] });
  }

  /** Returns a copy, to which precedences can be added. */
  copy(): Precedences {
    const copy = new Precedences([...this.#after.keys()]);
    for (const [before, known] of this.#after) {
      for (const [after, precedence] of known) copy.#after.get(before)!.set(after, precedence);
    }
    return copy;
  }

  /** Returns all precedences, or those between some legs. */
  among(legs: Iterable<Leg> = this.#after.keys()): readonly Precedence[] {
    const within = new Set(legs);
    return [...within].flatMap((leg) =>
      [...this.#after.get(leg)!.values()].filter(({ after }) => within.has(after)),
    );
  }

  /** Returns groups of legs that wait for each other, in reverse order. */
  components(): Leg[][] {
    const graph = Array.from(this.#after, ([leg, after]) => [leg, [...after.keys()]] as const);
    return stronglyConnectedComponents(new Map(graph));
  }

  /** Whether a leg must come before another one. */
  reaches(from: Leg, to: Leg): boolean {
    const reached = new Set([from]);
    // The loop also visits legs that are added on the way.
    for (const leg of reached) for (const next of this.#after.get(leg)!.keys()) reached.add(next);
    return reached.has(to);
  }
}

/** Returns the shortest cycle; undefined: there is none. */
function shortestCycle(precedences: readonly Precedence[]): Precedence[] | undefined {
  const from = new Map<Leg, Precedence[]>();
  for (const each of precedences) getOrCreate(from, each.before, () => []).push(each);
  const cycles = [...from.keys()].map((leg) => cycleThrough(leg, from));
  return cycles.filter((cycle) => cycle !== undefined).sort((a, b) => a.length - b.length)[0];
}

/** Returns a shortest cycle through a leg by breadth-first search. */
function cycleThrough(
  start: Leg,
  from: ReadonlyMap<Leg, readonly Precedence[]>,
): Precedence[] | undefined {
  const paths: Precedence[][] = [[]];
  const seen = new Set<Leg>();
  for (const path of paths) {
    for (const next of from.get(path.at(-1)?.after ?? start) ?? []) {
      if (next.after === start) return [...path, next];
      if (seen.has(next.after)) continue;
      seen.add(next.after);
      paths.push([...path, next]);
    }
  }
  return undefined;
}

/** Groups of legs. Each group is made in one step, and the groups in any order. */
type Layer = readonly (readonly Leg[])[];

/**
 * Sorts groups of legs into as few layers as their precedences allow. Each group comes as early as
 * possible. Removals cannot be undone, so they come as late as possible.
 */
function layersOf(precedences: Precedences, isRemoval: (leg: Leg) => boolean): Layer[] {
  const groups = precedences.components();
  const groupOf = new Map(groups.flatMap((legs, group) => legs.map((leg) => [leg, group])));
  const before = groups.map(() => new Set<number>());
  const after = groups.map(() => new Set<number>());
  for (const precedence of precedences.among()) {
    const [a, b] = [groupOf.get(precedence.before)!, groupOf.get(precedence.after)!];
    if (a === b) continue;
    before[b]!.add(a);
    after[a]!.add(b);
  }
  const layer: number[] = [];
  // Components come after those that they lead to, so the last one has no predecessor.
  for (const group of [...groups.keys()].reverse()) {
    layer[group] = Math.max(-1, ...[...before[group]!].map((each) => layer[each]!)) + 1;
  }
  const last = Math.max(-1, ...layer);
  for (const group of groups.keys()) {
    if (!groups[group]!.every(isRemoval)) continue;
    layer[group] = Math.min(last + 1, ...[...after[group]!].map((each) => layer[each]!)) - 1;
  }
  return Array.from({ length: last + 1 }, (_, at) =>
    groups.filter((_, group) => layer[group] === at),
  );
}

/**
 * Returns a cycle of dependencies between packages while a layer is applied, which stops the
 * resolver of the cluster for every package; undefined: there is none.
 *
 * A cycle contains each package once, at one of its stops in the layer. Any combination of these
 * stops may occur, except that the legs of one group are made together.
 */
function cycleConflict(journey: Journey, layers: readonly Layer[]): Conflict | undefined {
  const current = journey.routes.map(() => 0);
  for (const layer of layers) {
    const singleLegs = layer.filter((legs) => legs.length === 1).flat();
    const next = new Map(singleLegs.map(({ route, to }) => [route, to]));
    const handOverGroups = layer.filter((legs) => legs.length > 1);
    for (const applied of [[], ...handOverGroups, handOverGroups.flat()]) {
      for (const { route, to } of applied) current[route] = to;
      const possible = journey.routes.flatMap(({ stops }, route) =>
        [...new Set([current[route]!, next.get(route) ?? current[route]!])].flatMap((stop) => {
          const at = stops[stop];
          return at === undefined || at.skips ? [] : [{ route, stop, at }];
        }),
      );
      const cycle = cycleIn(possible);
      if (cycle !== undefined) {
        const members = cycle.map(({ at }) => at.locked);
        return { positions: cycle, cause: { rule: 'cycle', members } };
      }
      for (const { route, to } of applied) current[route] = to - 1;
    }
    for (const { route, to } of layer.flat()) if (route !== CROSSPLANE) current[route] = to;
  }
  return undefined;
}

/** Returns a dependency cycle by depth-first search; undefined: there is none. */
function cycleIn(nodes: readonly PlacedStop[]): readonly PlacedStop[] | undefined {
  const byRepository = new Map<string, PlacedStop[]>();
  for (const node of nodes) {
    getOrCreate(byRepository, node.at.locked.repository, () => []).push(node);
  }
  const next = ({ at }: PlacedStop) =>
    at.locked.requirements.flatMap((requirement) =>
      requirement.requires === 'package' && requirement.repository !== at.locked.repository
        ? (byRepository.get(requirement.repository) ?? [])
        : [],
    );
  const done = new Set<PlacedStop>();
  for (const start of nodes) {
    const path: { readonly node: PlacedStop; readonly successors: PlacedStop[] }[] = [];
    const pushNode = (node: PlacedStop) => path.push({ node, successors: next(node) });
    if (!done.has(start)) pushNode(start);
    while (path.length > 0) {
      const { node, successors } = path.at(-1)!;
      const to = successors.pop();
      if (to === undefined) {
        done.add(node);
        path.pop();
      } else {
        const at = path.findIndex((each) => each.node.route === to.route);
        if (at >= 0) return path.slice(at).map((each) => each.node);
        if (!done.has(to)) pushNode(to);
      }
    }
  }
  return undefined;
}

/** Maximum number of alternatives that the search tries. */
const MAX_TRIES = 1_000;

export interface Ordering {
  readonly status: 'ordered';
  readonly layers: readonly Layer[];
  readonly precedences: readonly Precedence[];
  /** Rules that are violated at the start. */
  readonly brokenBefore: readonly Cause[];
}

/** The result if no order exists, with the causes. */
export interface Impasse {
  readonly status: 'impossible' | 'gave-up';
  /** Whether the final state itself violates rules, so that no order can help. */
  readonly atEnd: boolean;
  readonly causes: readonly Cause[];
  /** All causes, also those of other orders. Intermediate versions can only help for these. */
  readonly blamed: readonly Cause[];
}

function impasseOf(causes: readonly Cause[], blamed = causes): Impasse {
  return { status: 'impossible', atEnd: false, causes, blamed };
}

/** A conflict that each of these pairs avoids, if its first leg comes before the second. */
interface Choice {
  readonly pairs: readonly (readonly [before: Leg, after: Leg])[];
  readonly cause: Cause;
}

/**
 * Returns an order of the legs without conflicts, in as few layers as possible.
 *
 * Most conflicts involve two legs and determine which comes first. A search is only needed for
 * rules that depend on the Crossplane release, and for packages with intermediate stops.
 */
export function orderLegs(journey: Journey): Ordering | Impasse {
  const avoidable = controllerConfigConflicts(journey);
  const ordering = new OrderSearch(journey, avoidable).run();
  const isFinal = ordering.status === 'ordered' || avoidable.length === 0;
  return isFinal ? ordering : new OrderSearch(journey, []).run();
}

class OrderSearch {
  readonly #journey: Journey;
  readonly #legs: ReadonlyMap<number, readonly Leg[]>;
  readonly #parties: ReadonlySet<Repository>;
  readonly #conflicts: readonly Conflict[];
  readonly #isUpgrade: boolean;
  #tries = 0;

  /** `avoidable`: conflicts to avoid if possible; an order that has some is still valid. */
  constructor(journey: Journey, avoidable: readonly Conflict[]) {
    this.#journey = journey;
    this.#legs = legsOf(journey);
    this.#conflicts = [
      ...requirementConflicts(journey),
      ...ownershipConflicts(journey),
      ...releaseConflicts(journey),
      ...avoidable,
    ];
    this.#parties = handOverParties(this.#conflicts, journey);
    this.#isUpgrade = isNewer(journey.releases.at(-1)!, journey.releases[0]!);
  }

  run(): Ordering | Impasse {
    const precedences = new Precedences([...this.#legs.values()].flat());
    for (const legs of this.#legs.values()) {
      for (const [at, next] of legs.slice(1).entries()) precedences.add(legs[at]!, next);
    }
    const brokenBefore: Cause[] = [];
    const atEnd: Cause[] = [];
    const choices: Choice[] = [];
    for (const conflict of this.#conflicts) {
      const { into, outOf, choice } = this.#waysOut(conflict);
      const [only, ...others] = choice.pairs;
      if (into.length === 0) brokenBefore.push(conflict.cause);
      else if (outOf.length === 0) atEnd.push(conflict.cause);
      else if (only && others.length === 0) precedences.add(...only, conflict.cause);
      else choices.push(choice);
    }
    if (atEnd.length > 0) return { ...impasseOf(atEnd), atEnd: true };
    const ordering = this.#solve(precedences, choices);
    return ordering.status === 'ordered' ? { ...ordering, brokenBefore } : ordering;
  }

  /**
   * Returns the legs into the positions of a conflict, the legs out of them, and the pairs of these
   * that avoid the conflict: a route leaves its position before another reaches its own. Moves of
   * packages on the newer release come first, because more versions support it.
   */
  #waysOut({ positions, cause }: Conflict) {
    const into = positions.flatMap(({ route, stop }) => this.#legs.get(route)![stop - 1] ?? []);
    const outOf = positions.flatMap(({ route, stop }) => this.#legs.get(route)![stop] ?? []);
    const pairs = outOf.flatMap((before) =>
      into.flatMap((after) => (before.route === after.route ? [] : [[before, after] as const])),
    );
    const side = this.#isUpgrade ? 0 : 1;
    const isPreferred = (pair: Choice['pairs'][number]) => pair[side].route === CROSSPLANE;
    const others = pairs.filter((pair) => !isPreferred(pair));
    return { into, outOf, choice: { pairs: [...pairs.filter(isPreferred), ...others], cause } };
  }

  /** Tries the pairs of each choice until no conflict is left. */
  #solve(precedences: Precedences, choices: readonly Choice[]): Ordering | Impasse {
    if ((this.#tries += 1) > MAX_TRIES) return { ...impasseOf([]), status: 'gave-up' };
    const deadlock = this.#deadlock(precedences);
    if (deadlock !== undefined) return deadlock;
    const [choice, ...rest] = choices.filter(
      ({ pairs }) => !pairs.some(([before, after]) => precedences.reaches(before, after)),
    );
    if (choice === undefined) return this.#layered(precedences);
    let failed = impasseOf([choice.cause]);
    const blamed = [choice.cause];
    for (const pair of choice.pairs) {
      const tried = precedences.copy();
      tried.add(...pair, choice.cause);
      const ordering = this.#solve(tried, rest);
      if (ordering.status !== 'impossible') return ordering;
      failed = ordering;
      blamed.push(...ordering.blamed);
    }
    return { ...failed, blamed: [...new Set(blamed)] };
  }

  /** Returns a cycle of legs that wait for each other, except hand-overs within one step. */
  #deadlock(precedences: Precedences): Impasse | undefined {
    for (const members of precedences.components()) {
      if (members.length === 1) continue;
      const among = precedences.among(members);
      const isMixed = new Set(members.map(({ route }) => route)).size < members.length;
      const isUpgrade = members.some(({ route }) => route === CROSSPLANE);
      const strict = among.filter(
        ({ causes }) =>
          causes.length === 0 || !causes.every((cause) => isHandOver(cause, this.#parties)),
      );
      const cycle = shortestCycle(isMixed || isUpgrade ? among : strict);
      if (cycle === undefined) continue;
      const causes = cycle.map((each) => each.causes);
      return impasseOf(
        causes.flatMap(([first]) => first ?? []),
        causes.flat(),
      );
    }
    return undefined;
  }

  #layered(solved: Precedences): Ordering | Impasse {
    const precedences = solved.copy();
    const updates = [...this.#legs.values()].flat().filter(({ route }) => route !== CROSSPLANE);
    // Packages move after an upgrade of Crossplane, or before a downgrade, where possible.
    for (const upgrade of this.#legs.get(CROSSPLANE)!) {
      for (const update of updates) {
        const [first, second] = this.#isUpgrade ? [upgrade, update] : [update, upgrade];
        if (!precedences.reaches(second, first)) precedences.add(first, second);
      }
    }
    const isRemoval = ({ route, to }: Leg) =>
      route !== CROSSPLANE && this.#journey.routes[route]!.stops[to] === undefined;
    const layers = layersOf(precedences, isRemoval);
    const conflict = cycleConflict(this.#journey, layers);
    if (conflict !== undefined) {
      const { into, outOf, choice } = this.#waysOut(conflict);
      if (into.length > 0 && outOf.length > 0) return this.#solve(solved, [choice]);
      if (into.length > 0) return { ...impasseOf([conflict.cause]), atEnd: true };
    }
    return { status: 'ordered', layers, precedences: solved.among(), brokenBefore: [] };
  }
}

/**
 * Returns the packages that hand over objects to another package, or take them over.
 *
 * Both wait for each other: the new owner cannot own objects that the old one still has, and the
 * old one must not be removed first. So a hand-over is made in one step, together with packages
 * that need the old owner before and the new owner after it.
 */
function handOverParties(
  conflicts: readonly Conflict[],
  { routes }: Journey,
): ReadonlySet<Repository> {
  const positions = conflicts.flatMap((conflict) =>
    conflict.cause.rule === 'owner' ? conflict.positions : [],
  );
  return new Set(positions.flatMap(({ route }) => routes[route]?.repository ?? []));
}

/** Whether a rule need not be satisfied within a hand-over. */
function isHandOver(cause: Cause, parties: ReadonlySet<Repository>): boolean {
  if (cause.rule === 'missing') return parties.has(cause.required);
  return cause.rule === 'owner' || cause.rule === 'kept';
}
