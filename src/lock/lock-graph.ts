import { groupOf, ownershipKey } from '../model/owned-object.js';
import type { Repository } from '../model/package.js';
import type { Requirement } from '../model/package-meta.js';
import type { CrdDemand } from '../model/crd-demand.js';
import type { LockedPackage, Lockfile } from './lockfile.js';

/** That one locked package requires another. */
export interface LockEdge {
  readonly from: LockedPackage;
  readonly to: LockedPackage;
  readonly requirement: Requirement;
  /** The constraint; of a required API, its name. */
  readonly constraint: string;
}

/** Which locked package requires which. */
export interface LockGraph {
  /** In dependsOn order. */
  requirementsOf(repository: Repository): readonly LockEdge[];
  /** In the order of the lockfile. */
  requirersOf(repository: Repository): readonly LockEdge[];
  /** undefined: none owns the CRD, or it is asked for by kind, and a lockfile has names alone. */
  ownerOf(demand: CrdDemand): LockedPackage | undefined;
  /**
   * Where to start to come by every package, by repository: those asked for directly, then those
   * that no locked package requires (a local package does, or they replace another), then, of
   * cycles that nothing leads to, the first.
   */
  readonly starts: readonly LockedPackage[];
}

/** `installed`: what is installed for a repository that is named; a lockfile keeps no replacements. */
export function lockGraph(
  { packages }: Pick<Lockfile, 'packages'>,
  installed: (named: Repository) => Repository = (named) => named,
): LockGraph {
  const byRepository = new Map(packages.map((locked) => [locked.repository, locked]));
  let owners: ReadonlyMap<string, LockedPackage> | undefined;
  const ownerOf = (demand: CrdDemand, asking?: LockedPackage) =>
    'crd' in demand
      ? (owners ??= ownersIn(packages)).get(ownershipKey({ kind: 'CRD', name: demand.crd }))
      : packages
          .filter((locked) => locked !== asking && demand.kind === '*')
          .find((locked) => ownsOfGroup(locked, demand.group));
  const required = (requirement: Requirement, from: LockedPackage) =>
    requirement.requires === 'package'
      ? byRepository.get(installed(requirement.repository))
      : ownerOf(requirement.demand, from);
  const out = new Map<Repository, LockEdge[]>();
  const into = new Map<Repository, LockEdge[]>(packages.map(({ repository }) => [repository, []]));
  for (const from of packages) {
    const edges = from.requirements.flatMap((requirement): LockEdge[] => {
      const to = required(requirement, from);
      const constraint =
        requirement.requires === 'package' ? requirement.constraint : requirement.text;
      return to === undefined ? [] : [{ from, to, requirement, constraint }];
    });
    out.set(from.repository, edges);
    for (const edge of edges) into.get(edge.to.repository)!.push(edge);
  }
  const requirementsOf = (repository: Repository) => out.get(repository) ?? [];
  const requirersOf = (repository: Repository) => into.get(repository) ?? [];
  const starts = startsOf(packages, { requirementsOf, requirersOf });
  return { requirementsOf, requirersOf, ownerOf, starts };
}

function ownersIn(packages: readonly LockedPackage[]): ReadonlyMap<string, LockedPackage> {
  return new Map(
    packages.flatMap((locked) => locked.owns.map((owned) => [ownershipKey(owned), locked])),
  );
}

/** Whether the resource that a package defines is of the group. */
function ownsOfGroup({ owns }: LockedPackage, group: string): boolean {
  return owns.some((owned) => ownershipKey(owned).startsWith('crd:') && groupOf(owned) === group);
}

function startsOf(
  packages: readonly LockedPackage[],
  graph: Pick<LockGraph, 'requirementsOf' | 'requirersOf'>,
): LockedPackage[] {
  const starts: LockedPackage[] = [];
  const reached = new Set<LockedPackage>();
  const startAt = (start: LockedPackage) => {
    starts.push(start);
    const ahead = [start];
    for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      ahead.push(...graph.requirementsOf(next.repository).map(({ to }) => to));
    }
  };
  for (const locked of packages) if (locked.direct) startAt(locked);
  for (const locked of packages) {
    if (!locked.direct && graph.requirersOf(locked.repository).length === 0) startAt(locked);
  }
  for (const locked of packages) if (!reached.has(locked)) startAt(locked);
  return starts;
}
