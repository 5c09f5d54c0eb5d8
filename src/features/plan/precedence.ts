import { getOrCreate } from '../../base/collections.js';
import {
  type Cause,
  type Conflict,
  CROSSPLANE,
  type Journey,
  type Leg,
  type Position,
  type Stop,
} from './journey.js';

/** A rule that one leg comes before another. Without causes, it is a route or a preference. */
export interface Precedence {
  readonly before: Leg;
  readonly after: Leg;
  readonly causes: readonly Cause[];
}

/** A graph of precedences between legs. */
export class Precedences {
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

  reaches(from: Leg, to: Leg): boolean {
    return this.descendants(from).has(to);
  }

  descendants(from: Leg): ReadonlySet<Leg> {
    const seen = new Set<Leg>();
    const ahead = [from];
    for (let leg = ahead.pop(); leg !== undefined; leg = ahead.pop()) {
      for (const next of this.#after.get(leg)!.keys()) {
        if (seen.has(next)) continue;
        seen.add(next);
        ahead.push(next);
      }
    }
    return seen;
  }
}

/** Returns the shortest cycle; undefined: there is none. */
export function shortestCycle(precedences: readonly Precedence[]): Precedence[] | undefined {
  const from = new Map<Leg, Precedence[]>();
  for (const each of precedences) getOrCreate(from, each.before, () => []).push(each);
  const cycles = [...from.keys()].flatMap((leg) => {
    const cycle = cycleThrough(leg, from);
    return cycle === undefined ? [] : [cycle];
  });
  return cycles.sort((a, b) => a.length - b.length)[0];
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
export type Layer = readonly (readonly Leg[])[];

/**
 * Sorts groups of legs into as few layers as their precedences allow. Each group comes as early as
 * possible. Removals cannot be undone, so they come as late as possible.
 */
export function layersOf(
  groups: readonly (readonly Leg[])[],
  precedences: readonly Precedence[],
  isRemoval: (leg: Leg) => boolean,
): Layer[] {
  const groupOf = new Map(groups.flatMap((legs, group) => legs.map((leg) => [leg, group])));
  const before = groups.map(() => new Set<number>());
  const after = groups.map(() => new Set<number>());
  for (const precedence of precedences) {
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

interface Node extends Position {
  readonly at: Stop;
}

/**
 * Returns a cycle of dependencies between packages while a layer is applied, which stops the
 * resolver of the cluster for every package; undefined: there is none.
 *
 * A cycle contains each package once, at one of its stops in the layer. Any combination of these
 * stops may occur, except that the legs of one group are made together.
 */
export function cycleConflict(journey: Journey, layers: readonly Layer[]): Conflict | undefined {
  const current = journey.routes.map(() => 0);
  for (const layer of layers) {
    const alone = layer.filter((legs) => legs.length === 1).flat();
    const joint = layer.filter((legs) => legs.length > 1);
    for (const applied of [[], ...joint, joint.flat()]) {
      for (const { route, to } of applied) current[route] = to;
      const cycle = cycleIn(possibleNodes(journey, current, alone), journey);
      if (cycle !== undefined) {
        return {
          positions: cycle.map(({ route, stop }) => ({ route, stop })),
          cause: { rule: 'cycle', members: cycle.map(({ at }) => at.locked) },
        };
      }
      for (const { route, to } of applied) current[route] = to - 1;
    }
    for (const { route, to } of layer.flat()) if (route !== CROSSPLANE) current[route] = to;
  }
  return undefined;
}

function possibleNodes(
  { routes }: Journey,
  current: readonly number[],
  moving: readonly Leg[],
): readonly Node[] {
  const next = new Map(moving.map(({ route, to }) => [route, to]));
  return routes.flatMap(({ stops }, route) =>
    [...new Set([current[route]!, next.get(route) ?? current[route]!])].flatMap((stop): Node[] => {
      const at = stops[stop];
      return at === undefined || at.skips ? [] : [{ route, stop, at }];
    }),
  );
}

/** Returns a dependency cycle by depth-first search; undefined: there is none. */
function cycleIn(nodes: readonly Node[], { routes }: Journey): readonly Node[] | undefined {
  const byRepository = new Map<string, Node[]>();
  for (const node of nodes) {
    getOrCreate(byRepository, routes[node.route]!.repository, () => []).push(node);
  }
  const next = ({ at }: Node) =>
    at.locked.requirements.flatMap((requirement) =>
      requirement.requires === 'package' && requirement.repository !== at.locked.repository
        ? (byRepository.get(requirement.repository) ?? [])
        : [],
    );
  const done = new Set<Node>();
  for (const start of nodes) {
    const path: { readonly node: Node; readonly ahead: Node[] }[] = [];
    const enter = (node: Node) => path.push({ node, ahead: next(node) });
    if (!done.has(start)) enter(start);
    while (path.length > 0) {
      const { node, ahead } = path.at(-1)!;
      const to = ahead.pop();
      if (to === undefined) {
        done.add(node);
        path.pop();
      } else {
        const at = path.findIndex((each) => each.node.route === to.route);
        if (at >= 0) return path.slice(at).map((each) => each.node);
        if (!done.has(to)) enter(to);
      }
    }
  }
  return undefined;
}
