import type { Leg } from './leg.js';
import type { Precedence } from './precedence.js';

/** What goes together: each group is made as one, and they are made in any order. */
export type Layer = readonly (readonly Leg[])[];

/**
 * Groups of legs in as few layers as their precedences allow: each as early as it can, but for
 * removals, which cannot be undone, and come as late as they can.
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
  // Components come after those that they lead to: the last leads the way.
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
