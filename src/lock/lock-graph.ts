import type { LockedPackage, Lockfile } from './lockfile.js';
import type { Repository } from '../model/package.js';
import type { Requirement } from '../model/package-meta.js';

/** That one locked package requires another. */
export interface LockEdge {
  readonly from: LockedPackage;
  readonly to: LockedPackage;
  /** The constraint; of a required API, its name. */
  readonly constraint: string;
}

/** Who requires whom, as far as a lockfile tells. */
export interface LockGraph {
  /** In dependsOn order. */
  requirementsOf(repository: Repository): readonly LockEdge[];
  /** By repository. */
  requirersOf(repository: Repository): readonly LockEdge[];
  /**
   * Where to start to come by every package, by repository: those asked for directly, then those
   * that no locked package requires (a local package does, or they stand in for another), then,
   * of cycles that nothing leads to, the first.
   */
  readonly starts: readonly LockedPackage[];
}

export function lockGraph({ packages }: Lockfile): LockGraph {
  const byRepository = new Map(packages.map((locked) => [locked.repository, locked]));
  const owners = new Map(
    packages.flatMap((locked) => locked.owns.map(({ name }) => [name, locked])),
  );
  const required = (requirement: Requirement): LockedPackage | undefined => {
    if (requirement.requires === 'package') return byRepository.get(requirement.repository);
    return 'crd' in requirement.demand ? owners.get(requirement.demand.crd) : undefined;
  };
  const out = new Map<Repository, LockEdge[]>();
  const into = new Map<Repository, LockEdge[]>(packages.map(({ repository }) => [repository, []]));
  for (const from of packages) {
    const edges = from.requirements.flatMap((requirement): LockEdge[] => {
      const to = required(requirement);
      const constraint =
        requirement.requires === 'package' ? requirement.constraint : requirement.text;
      return to === undefined ? [] : [{ from, to, constraint }];
    });
    out.set(from.repository, edges);
    for (const edge of edges) into.get(edge.to.repository)!.push(edge);
  }
  const requirementsOf = (repository: Repository) => out.get(repository) ?? [];
  const requirersOf = (repository: Repository) => into.get(repository) ?? [];
  return { requirementsOf, requirersOf, starts: startsOf() };

  function startsOf(): LockedPackage[] {
    const starts: LockedPackage[] = [];
    const reached = new Set<LockedPackage>();
    const startAt = (start: LockedPackage) => {
      starts.push(start);
      const ahead = [start];
      for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
        if (reached.has(next)) continue;
        reached.add(next);
        ahead.push(...requirementsOf(next.repository).map(({ to }) => to));
      }
    };
    for (const locked of packages) if (locked.direct) startAt(locked);
    for (const locked of packages) {
      if (!locked.direct && requirersOf(locked.repository).length === 0) startAt(locked);
    }
    for (const locked of packages) if (!reached.has(locked)) startAt(locked);
    return starts;
  }
}
