import type { LockDependency, LockRow } from '../../lock/lock-row.js';
import type { Repository } from '../../model/package.js';

/** A dependency that calls for work, and the row that has it. */
export interface ImpliedDependency {
  readonly dependency: LockDependency;
  readonly by: LockRow;
}

/** The rows of a Lock as a graph whose nodes are sources, spelled as they are. */
export interface DependencyGraph {
  /** Rows, by source; undefined: something depends on it and it has no row. */
  readonly nodes: ReadonlyMap<Repository, LockRow | undefined>;
  /** What is depended on and has no row, each by the first edge that leads to it, in that order. */
  readonly missing: readonly ImpliedDependency[];
}

/** The graph of some rows; a string: the source that two of them have, of which none can be made. */
export function dependencyGraph(rows: readonly LockRow[]): DependencyGraph | string {
  const nodes = new Map<Repository, LockRow | undefined>();
  for (const row of rows) {
    if (nodes.has(row.source)) return row.source;
    nodes.set(row.source, row);
  }
  const missing: ImpliedDependency[] = [];
  for (const by of rows) {
    for (const dependency of by.dependencies) {
      if (nodes.has(dependency.repository)) continue;
      nodes.set(dependency.repository, undefined);
      missing.push({ dependency, by });
    }
  }
  return { nodes, missing };
}

/** All that a source depends on, near or far. */
export function reachedFrom(
  source: Repository,
  { nodes }: Pick<DependencyGraph, 'nodes'>,
): Set<Repository> {
  const reached = new Set<Repository>();
  const ahead = [source];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    for (const { repository } of nodes.get(next)?.dependencies ?? []) {
      if (reached.has(repository)) continue;
      reached.add(repository);
      ahead.push(repository);
    }
  }
  return reached;
}

/**
 * A source that depends on itself, near or far; undefined: there is none.
 *
 * Crossplane walks the graph from whatever node Go hands out first, and so may name another member
 * of the same cycle.
 */
export function cyclicSource(graph: DependencyGraph): Repository | undefined {
  for (const source of graph.nodes.keys()) {
    if (reachedFrom(source, graph).has(source)) return source;
  }
  return undefined;
}
