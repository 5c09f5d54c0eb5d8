import { byRepository, type LockedPackage, type Lockfile } from './lockfile.js';
import { byCodePoint, groupBy, stronglyConnectedComponents } from '../../base/collections.js';
import type { JsonObject } from '../../base/json.js';
import {
  type LockRow,
  lockRowManifest,
} from '../../crossplane/package-manager/dependency-graph.js';
import type { CrdRef } from '../../crossplane/packages/crd-ref.js';
import { FIRST_GENERATION, revisionName } from '../../crossplane/packages/object-names.js';
import { groupOf, isCrdOwner, ownershipKey } from '../../crossplane/packages/owned-objects.js';
import type { Requirement } from '../../crossplane/packages/package-meta.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { joinReference, splitPackageReference } from '../../crossplane/packages/reference.js';
import type { Target } from '../../crossplane/releases/target.js';

/** A requirement of one locked package on another. */
export interface LockEdge {
  readonly from: LockedPackage;
  readonly to: LockedPackage;
  readonly requirement: Requirement;
  /** Constraint; for a required CRD, its name. */
  readonly constraint: string;
}

/** Requirements between locked packages. */
export interface LockGraph {
  /** Returns requirements in `dependsOn` order. */
  requirementsOf(repository: Repository): readonly LockEdge[];
  /** Returns requirements in the order of the lockfile. */
  requirersOf(repository: Repository): readonly LockEdge[];
  /**
   * Returns the owner of a required CRD. Returns undefined if there is none, and for a CRD required
   * by kind, because a lockfile has only names.
   */
  ownerOf(crdRef: CrdRef): LockedPackage | undefined;
  /**
   * Packages from which all others can be reached: the direct ones, then those that no locked
   * package requires (they replace another, or a local package requires them), then the first of
   * each remaining cycle. Each group is sorted by repository.
   */
  readonly starts: readonly LockedPackage[];
}

/** Returns the graph of a lockfile. `installed` maps a repository to its replacement. */
export function lockGraph(
  { packages }: Pick<Lockfile, 'packages'>,
  installed: (named: Repository) => Repository = (named) => named,
): LockGraph {
  const known = byRepository(packages);
  let owners: ReadonlyMap<string, LockedPackage> | undefined;
  const ownerOf = (crdRef: CrdRef, requirer?: LockedPackage) =>
    'crd' in crdRef
      ? (owners ??= ownersIn(packages)).get(ownershipKey({ kind: 'CRD', name: crdRef.crd }))
      : packages
          .filter((locked) => locked !== requirer && crdRef.kind === '*')
          .find(({ owns }) =>
            owns.some((owned) => isCrdOwner(owned) && groupOf(owned) === crdRef.group),
          );
  const edges = packages.flatMap((from) =>
    from.requirements.flatMap((requirement): LockEdge[] => {
      const isPackage = requirement.requires === 'package';
      const constraint = isPackage ? requirement.constraint : requirement.text;
      const to = isPackage
        ? known.get(installed(requirement.repository))
        : ownerOf(requirement.demand, from);
      return to === undefined ? [] : [{ from, to, requirement, constraint }];
    }),
  );
  const outgoing = groupBy(edges, ({ from }) => from.repository);
  const incoming = groupBy(edges, ({ to }) => to.repository);
  const requirementsOf = (repository: Repository) => outgoing.get(repository) ?? [];
  const requirersOf = (repository: Repository) => incoming.get(repository) ?? [];
  const starts = startsOf(packages, { requirementsOf, requirersOf });
  return { requirementsOf, requirersOf, ownerOf, starts };
}

function ownersIn(packages: readonly LockedPackage[]): ReadonlyMap<string, LockedPackage> {
  return new Map(
    packages.flatMap((locked) => locked.owns.map((owned) => [ownershipKey(owned), locked])),
  );
}

function startsOf(
  packages: readonly LockedPackage[],
  graph: Pick<LockGraph, 'requirementsOf' | 'requirersOf'>,
): LockedPackage[] {
  const starts: LockedPackage[] = [];
  const reached = new Set<LockedPackage>();
  const startAt = (start: LockedPackage) => {
    starts.push(start);
    reached.add(start);
    markBelow(start, graph, reached);
  };
  for (const locked of packages) if (locked.direct) startAt(locked);
  for (const locked of packages) {
    if (!locked.direct && graph.requirersOf(locked.repository).length === 0) startAt(locked);
  }
  for (const locked of packages) if (!reached.has(locked)) startAt(locked);
  return starts;
}

/**
 * Returns packages with dependencies first, otherwise by repository.
 *
 * The members of a cycle are adjacent, by repository.
 */
export function inApplyOrder(packages: readonly LockedPackage[]): readonly LockedPackage[] {
  const known = byRepository(packages);
  const dependencies = dependencyGraph(packages);
  const pending = cyclesOf(dependencies);
  /** Repositories that are ordered, in this order. */
  const ordered = new Set<Repository>();
  while (pending.length > 0) {
    const next = pending.findIndex((members) =>
      members.every((member) =>
        dependencies
          .get(member)!
          .every((needed) => ordered.has(needed) || members.includes(needed)),
      ),
    );
    for (const member of pending.splice(next, 1)[0]!) ordered.add(member);
  }
  return Array.from(ordered, (repository) => known.get(repository)!);
}

/** Returns groups of packages that depend on each other, and packages that depend on themselves. */
export function dependencyCycles(
  packages: readonly LockedPackage[],
): readonly (readonly Repository[])[] {
  const dependencies = dependencyGraph(packages);
  return cyclesOf(dependencies).filter(
    (members) => members.length > 1 || dependencies.get(members[0]!)!.includes(members[0]!),
  );
}

/**
 * Returns the length of the longest chain of dependencies below each package: 0 for a package
 * without dependencies. The members of a cycle have the same depth.
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

/** Returns strongly connected components, each sorted, ordered by their first members. */
function cyclesOf(graph: Graph): Repository[][] {
  return stronglyConnectedComponents(graph)
    .map((members) => members.sort(byCodePoint))
    .sort((a, b) => byCodePoint(a[0]!, b[0]!));
}

/** A locked package in a tree, with the packages that it requires. */
export interface TreeNode {
  readonly locked: LockedPackage;
  /** Constraint of the requirement; undefined for a top-level package. */
  readonly constraint: string | undefined;
  /** Whether the package is already in the tree further up, with its requirements. */
  readonly repeated: boolean;
  readonly requires: readonly TreeNode[];
  /** Number of packages that are left out below because the tree is too deep. */
  readonly omitted?: number | undefined;
}

/** Maximum depth of a tree. Real projects have fewer than ten levels. */
const MAX_LEVELS = 100;

/** Returns the locked packages as trees, one for each package in `starts`. */
export function lockTree(lockfile: Lockfile): TreeNode[] {
  const graph = lockGraph(lockfile);
  const seen = new Set<LockedPackage>();
  const treeOf = (
    locked: LockedPackage,
    constraint: string | undefined,
    level: number,
  ): TreeNode => {
    if (seen.has(locked)) return { locked, constraint, repeated: true, requires: [] };
    seen.add(locked);
    if (level === MAX_LEVELS) {
      const omitted = markBelow(locked, graph, seen);
      const cut = { locked, constraint, repeated: false, requires: [] };
      return omitted === 0 ? cut : { ...cut, omitted };
    }
    const requires = graph
      .requirementsOf(locked.repository)
      .map(({ to, constraint }) => treeOf(to, constraint, level + 1));
    return { locked, constraint, repeated: false, requires };
  };
  return graph.starts.map((start) => treeOf(start, undefined, 1));
}

/** Adds the packages below one to `seen`. Returns how many were added. */
function markBelow(
  top: LockedPackage,
  graph: Pick<LockGraph, 'requirementsOf'>,
  seen: Set<LockedPackage>,
): number {
  const before = seen.size;
  const pending = [top];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const { to } of graph.requirementsOf(next.repository)) {
      if (seen.has(to)) continue;
      seen.add(to);
      pending.push(to);
    }
  }
  return seen.size - before;
}

/** Returns packages without a digest, which cannot have a row in a Lock. */
export function packagesWithoutDigest({ packages }: Lockfile): readonly LockedPackage[] {
  return packages.filter(({ digest }) => digest === undefined);
}

/** The `Lock` of a cluster in which every package skips dependency resolution. */
export const EMPTY_LOCK: JsonObject = {
  apiVersion: 'pkg.crossplane.io/v1beta1',
  kind: 'Lock',
  metadata: { name: 'lock' },
  packages: [],
};

/**
 * Returns the `Lock` that the package manager of the target would write.
 *
 * `versionOf` returns the tag or digest in `spec.package` of an object. Every package must have a
 * digest.
 */
export function lockManifest(
  lockfile: Lockfile,
  target: Target,
  versionOf: (locked: LockedPackage) => string,
): JsonObject {
  const packages = inApplyOrder(lockfile.packages).map((locked) =>
    lockRowManifest(rowOf(locked, versionOf(locked), target), target.rules),
  );
  return { ...EMPTY_LOCK, packages };
}

function rowOf(locked: LockedPackage, version: string, target: Target): LockRow {
  const { repository, name, digest, kind, requirements } = locked;
  return {
    name: revisionName(
      { name, generation: FIRST_GENERATION },
      digest!,
      target.packageManager.revisionNames,
    ),
    kind,
    source: repository,
    version,
    ...splitPackageReference(joinReference(repository, version), target),
    // Crossplane does not know requirements by CRD.
    dependencies: requirements.filter((each) => each.requires === 'package'),
  };
}
