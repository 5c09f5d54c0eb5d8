import type { LockedPackage, Lockfile } from './lockfile.js';
import { lockGraph, type LockEdge } from './lock-graph.js';

/** A locked package where it is required, and below it what it requires itself. */
export interface TreeNode {
  readonly locked: LockedPackage;
  /** The constraint it is required with; undefined: it is at the top. */
  readonly constraint: string | undefined;
  /** It stands further up already, with what it requires. */
  readonly repeated: boolean;
  readonly requires: readonly TreeNode[];
}

/** What is locked as trees, one for each package that something outside asks for. */
export function lockTree(lockfile: Lockfile): TreeNode[] {
  const graph = lockGraph(lockfile);
  const seen = new Set<LockedPackage>();
  const grow = (locked: LockedPackage, constraint: string | undefined): TreeNode => {
    if (seen.has(locked)) return { locked, constraint, repeated: true, requires: [] };
    seen.add(locked);
    const requires = graph
      .requirementsOf(locked.repository)
      .map((edge: LockEdge) => grow(edge.to, edge.constraint));
    return { locked, constraint, repeated: false, requires };
  };
  return graph.starts.map((start) => grow(start, undefined));
}
