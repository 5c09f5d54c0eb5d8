import { byCodePoint } from '../text/code-point-order.js';
import type { Repository } from '../model/package.js';
import { lockGraph } from './lock-graph.js';
import type { LockedPackage } from './lockfile.js';

/**
 * Packages, dependencies first; of those that could come next, the first by repository does.
 *
 * The members of a cycle come together, by repository: no order would be right for them.
 */
export function inApplyOrder(packages: readonly LockedPackage[]): readonly LockedPackage[] {
  const byRepository = new Map(packages.map((each) => [each.repository, each]));
  const dependencies = dependencyGraph(packages);
  const ordered: LockedPackage[] = [];
  const waiting = cyclesOf(dependencies);
  const done = new Set<Repository>();
  while (waiting.length > 0) {
    const next = waiting.findIndex((members) =>
      members.every((member) =>
        dependencies.get(member)!.every((needed) => done.has(needed) || members.includes(needed)),
      ),
    );
    for (const member of waiting.splice(next, 1)[0]!) {
      done.add(member);
      ordered.push(byRepository.get(member)!);
    }
  }
  return ordered;
}

/** Groups of packages that depend on each other, and packages that depend on themselves. */
export function dependencyCycles(
  packages: readonly LockedPackage[],
): readonly (readonly Repository[])[] {
  const dependencies = dependencyGraph(packages);
  return cyclesOf(dependencies).filter(
    (members) => members.length > 1 || dependencies.get(members[0]!)!.includes(members[0]!),
  );
}

type Graph = ReadonlyMap<Repository, readonly Repository[]>;

function dependencyGraph(packages: readonly LockedPackage[]): Graph {
  const graph = lockGraph({ packages });
  return new Map(
    packages.map(({ repository }) => [
      repository,
      graph.requirementsOf(repository).map(({ to }) => to.repository),
    ]),
  );
}

interface Visit {
  readonly node: Repository;
  readonly ahead: Repository[];
}

/**
 * Strongly connected components (Tarjan), each sorted, and sorted by their first members.
 *
 * With a stack of its own: a chain of packages may be longer than the engine lets calls nest.
 */
function cyclesOf(graph: Graph): Repository[][] {
  const index = new Map<Repository, number>();
  const low = new Map<Repository, number>();
  const pending: Repository[] = [];
  const isPending = new Set<Repository>();
  const components: Repository[][] = [];
  const enter = (node: Repository): Visit => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    pending.push(node);
    isPending.add(node);
    return { node, ahead: [...graph.get(node)!] };
  };
  const reach = (node: Repository, rank: number) => low.set(node, Math.min(low.get(node)!, rank));
  for (const start of graph.keys()) {
    const path = index.has(start) ? [] : [enter(start)];
    while (path.length > 0) {
      const { node, ahead } = path.at(-1)!;
      const next = ahead.pop();
      if (next === undefined) {
        path.pop();
        const parent = path.at(-1)?.node;
        if (parent !== undefined) reach(parent, low.get(node)!);
        if (low.get(node) === index.get(node))
          components.push(takeDownTo(node, pending, isPending));
      } else if (!index.has(next)) path.push(enter(next));
      else if (isPending.has(next)) reach(node, index.get(next)!);
    }
  }
  return components.sort((a, b) => byCodePoint(a[0]!, b[0]!));
}

function takeDownTo(
  node: Repository,
  pending: Repository[],
  isPending: Set<Repository>,
): Repository[] {
  const members = pending.splice(pending.lastIndexOf(node));
  for (const member of members) isPending.delete(member);
  return members.sort(byCodePoint);
}
