import type { LockedPackage, Lockfile } from '../../project/lockfile/lockfile.js';
import type { OwnedObject } from '../../crossplane/packages/owned-objects.js';
import { lockGraph, type LockEdge, type LockGraph } from '../../project/lockfile/lock-graph.js';

/** The paths of requirements that lead to a locked package. */
export interface Why {
  readonly locked: LockedPackage;
  /** Shortest first, each from a top-level package. Empty: the package is at the top. */
  readonly paths: readonly (readonly LockEdge[])[];
  /** Whether more paths exist than are listed. */
  readonly more: boolean;
}

/** Maximum number of listed paths. */
const MAX_PATHS = 50;
/** Maximum number of visited packages: with cycles, the number of walks grows exponentially. */
const MAX_STEPS = 20_000;

/** Maximum number of edges of all listed paths, for a package below a long chain. */
const MAX_EDGES = 2_000;

/** A path to a package as a linked list that starts with its first edge. */
interface Path {
  readonly edge: LockEdge;
  readonly rest: Path | undefined;
}

/** Returns every path from the requested packages to a locked package. */
export function whyLocked(lockfile: Lockfile, locked: LockedPackage): Why {
  const graph = lockGraph(lockfile);
  const starts = new Set(graph.starts);
  const distances = distancesFrom(graph);
  const paths: (readonly LockEdge[])[] = [];
  let steps = 0;
  let listed = 0;
  // A stack instead of recursion: long chains would exceed the call stack.
  const pending: { readonly at: LockedPackage; readonly path: Path | undefined }[] = [
    { at: locked, path: undefined },
  ];
  while (pending.length > 0 && steps < MAX_STEPS && paths.length <= MAX_PATHS) {
    const { at, path } = pending.pop()!;
    steps++;
    if (starts.has(at)) {
      const edges = [...edgesOf(path)];
      if (paths.length > 0 && listed + edges.length > MAX_EDGES) break;
      paths.push(edges);
      listed += edges.length;
    }
    const requirers = graph
      .requirersOf(at.repository)
      .filter(({ from }) => from !== locked && !isOnPath(path, from))
      .toSorted((a, b) => distances.get(a.from)! - distances.get(b.from)!)
      .toReversed(); // the last one is visited first
    for (const edge of requirers) pending.push({ at: edge.from, path: { edge, rest: path } });
  }
  const more = paths.length > MAX_PATHS || pending.length > 0;
  const shortestFirst = paths.slice(0, MAX_PATHS).sort((a, b) => a.length - b.length);
  return { locked, paths: shortestFirst, more };
}

function isOnPath(path: Path | undefined, locked: LockedPackage): boolean {
  for (const { to } of edgesOf(path)) if (to === locked) return true;
  return false;
}

function* edgesOf(path: Path | undefined): Iterable<LockEdge> {
  for (let at = path; at !== undefined; at = at.rest) yield at.edge;
}

export function ownersOf(
  lockfile: Lockfile,
  name: string,
): readonly { readonly locked: LockedPackage; readonly owned: OwnedObject }[] {
  return lockfile.packages.flatMap((locked) =>
    locked.owns.filter((owned) => owned.name === name).map((owned) => ({ locked, owned })),
  );
}

/** Returns the number of edges from the nearest top-level package. */
function distancesFrom(graph: LockGraph): Map<LockedPackage, number> {
  const distances = new Map(graph.starts.map((start) => [start, 0]));
  // Breadth first: the loop also visits entries that are added on the way.
  for (const [locked, distance] of distances) {
    for (const { to } of graph.requirementsOf(locked.repository)) {
      if (!distances.has(to)) distances.set(to, distance + 1);
    }
  }
  return distances;
}
