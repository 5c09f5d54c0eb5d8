import { byCodePoint } from '../text/code-point-order.js';
import type { Repository } from '../model/package.js';
import { lockGraph } from './lock-graph.js';
import type { LockedPackage } from './lockfile.js';
import { strongComponents } from './graph/strong-components.js';

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

/**
 * How many packages stand below each on the longest way down: 0 for one that depends on none. The
 * members of a cycle are equally deep.
 */
export function dependencyDepths(
  packages: readonly LockedPackage[],
): ReadonlyMap<Repository, number> {
  const dependencies = dependencyGraph(packages);
  const cycles = new Map(
    cyclesOf(dependencies).flatMap((members) => members.map((member) => [member, members])),
  );
  const depths = new Map<Repository, number>();
  for (const { repository } of inApplyOrder(packages)) {
    const members = cycles.get(repository)!;
    const below = members
      .flatMap((member) => dependencies.get(member)!)
      .filter((needed) => !members.includes(needed))
      .map((needed) => depths.get(needed)! + 1);
    depths.set(repository, Math.max(0, ...below));
  }
  return depths;
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

/** Strongly connected components, each sorted, and sorted by their first members. */
function cyclesOf(graph: Graph): Repository[][] {
  return strongComponents(graph)
    .map((members) => members.sort(byCodePoint))
    .sort((a, b) => byCodePoint(a[0]!, b[0]!));
}
