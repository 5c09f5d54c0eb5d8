import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import type { OwnedObject } from '../model/owned-object.js';
import { lockGraph, type LockEdge, type LockGraph } from '../lock/lock-graph.js';

/** How a package came to be locked. */
export interface Why {
  readonly locked: LockedPackage;
  /** Shortest first; each from a package at the top. An empty one: it is at the top itself. */
  readonly paths: readonly (readonly LockEdge[])[];
  /** Not all paths are listed. */
  readonly more: boolean;
}

/** Paths that are listed; a reader makes nothing of more. */
const MAX_PATHS = 50;
/** Packages that are visited in search of paths: where there are cycles, walks multiply. */
const MAX_STEPS = 20_000;

/** Every way from what is asked for to a package that is locked. */
export function whyLocked(lockfile: Lockfile, locked: LockedPackage): Why {
  const graph = lockGraph(lockfile);
  const starts = new Set(graph.starts);
  const distances = distancesFrom(graph);
  const paths: (readonly LockEdge[])[] = [];
  let steps = 0;
  const climb = (at: LockedPackage, path: readonly LockEdge[]): void => {
    if (++steps > MAX_STEPS || paths.length > MAX_PATHS) return;
    if (starts.has(at)) paths.push(path);
    const edges = graph
      .requirersOf(at.repository)
      .filter(({ from }) => from !== locked && !path.some((edge) => edge.to === from))
      .toSorted((a, b) => distances.get(a.from)! - distances.get(b.from)!);
    for (const edge of edges) climb(edge.from, [edge, ...path]);
  };
  climb(locked, []);
  const more = paths.length > MAX_PATHS || steps > MAX_STEPS;
  const shortestFirst = paths.slice(0, MAX_PATHS).sort((a, b) => a.length - b.length);
  return { locked, paths: shortestFirst, more };
}

/** The locked packages that own an object of this name, and the object of each. */
export function ownersOf(
  lockfile: Lockfile,
  name: string,
): readonly { readonly locked: LockedPackage; readonly owned: OwnedObject }[] {
  return lockfile.packages.flatMap((locked) =>
    locked.owns.filter((owned) => owned.name === name).map((owned) => ({ locked, owned })),
  );
}

/** Steps from the nearest start. */
function distancesFrom(graph: LockGraph): Map<LockedPackage, number> {
  const distances = new Map(graph.starts.map((start) => [start, 0]));
  // Breadth first: iterating over a map also visits what is added to it on the way.
  for (const [locked, distance] of distances) {
    for (const { to } of graph.requirementsOf(locked.repository)) {
      if (!distances.has(to)) distances.set(to, distance + 1);
    }
  }
  return distances;
}
