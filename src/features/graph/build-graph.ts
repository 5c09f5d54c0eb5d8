import type {
  GraphClash,
  GraphEdge,
  GraphNode,
  GraphObject,
  NodeKind,
  PackageGraph,
} from './package-graph.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import { selectorOf } from '../../crossplane/constraints/constraint.js';
import { satisfies } from '../../crossplane/constraints/installable-versions.js';
import {
  byKindAndName,
  type OwnedObject,
  ownershipKey,
} from '../../crossplane/packages/owned-objects.js';
import type { PackageRequirement, Requirement } from '../../crossplane/packages/package-meta.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { shortNames } from '../../crossplane/packages/repository-names.js';
import { type Target, targetFor } from '../../crossplane/releases/target.js';
import { dependencyCycles, lockGraph } from '../../project/lockfile/lock-graph.js';
import {
  type Change,
  changesBetween,
  type LockedPackage,
  type Lockfile,
} from '../../project/lockfile/lockfile.js';
import type { RefusalNode, Refusal } from '../../resolver/explain/refusal.js';
import type { Solved, Unsolvable } from '../../resolver/resolve/answer.js';

/** Returns the graph of a lockfile. Missing packages are nodes without a version. */
export function graphOfLockfile(lockfile: Lockfile): PackageGraph {
  const missing = unlocked(lockfile);
  const repositories = [...lockfile.packages, ...missing].map(({ repository }) => repository);
  const { name } = shortNames(repositories);
  const nodes = [
    ...lockfile.packages.map((locked): GraphNode => {
      const { repository, kind, version, direct, digest, crossplane, owns } = locked;
      const node = { id: repository, kind, name: name(repository), version, direct };
      return { ...node, digest, crossplane, owns };
    }),
    ...missing.map(({ repository, kind }): GraphNode => {
      const node = { id: repository, kind, name: name(repository) };
      return { ...node, version: undefined, direct: false, owns: [] };
    }),
  ];
  return {
    of: 'lockfile',
    crossplane: lockfile.crossplane,
    story: [],
    hints: [],
    nodes: nodes.sort((a, b) => byCodePoint(a.id, b.id)),
    edges: edgesOf(lockfile),
    clashes: lockfileConflicts(lockfile, name),
  };
}

function edgesOf(lockfile: Lockfile): GraphEdge[] {
  const target = targetFor(lockfile.crossplane);
  const graph = lockGraph(lockfile);
  const requirements = lockfile.packages.flatMap((locked) => {
    const from = locked.repository;
    return [
      ...graph.requirementsOf(from).map(({ to, requirement, constraint }) => {
        const isUnmet = target !== undefined && !isMet(requirement, to, target);
        return { from, to: to.repository, constraints: [constraint], isUnmet };
      }),
      ...unlocked(lockfile, locked).map(({ repository: to, constraint }) => {
        return { from, to, constraints: [constraint], isUnmet: false };
      }),
    ];
  });
  return mergedEdges(requirements).map((edge) => ({
    ...edge,
    constraints: [...new Set(edge.constraints)],
  }));
}

/** Merges edges between the same nodes. Returns edges sorted by `from`, then `to`. */
function mergedEdges(parts: readonly GraphEdge[]): GraphEdge[] {
  const edges = new Map<string, GraphEdge & { constraints: string[]; isUnmet: boolean }>();
  for (const { from, to, constraints, isUnmet } of parts) {
    const edge = getOrCreate(edges, `${from} ${to}`, () => {
      return { from, to, constraints: [], isUnmet: false };
    });
    edge.constraints.push(...constraints);
    edge.isUnmet ||= isUnmet;
  }
  return [...edges.values()].sort((a, b) => byCodePoint(a.from, b.from) || byCodePoint(a.to, b.to));
}

/**
 * Returns required packages that are not locked, without duplicates: another package replaces them,
 * or requirements are not followed. `of`: returns only those of this package.
 */
function unlocked({ packages }: Lockfile, of?: LockedPackage): readonly PackageRequirement[] {
  const locked = new Set(packages.map(({ repository }) => repository));
  const missing = new Map<Repository, PackageRequirement>();
  for (const each of (of === undefined ? packages : [of]).flatMap((one) => one.requirements)) {
    if (each.requires !== 'package' || locked.has(each.repository)) continue;
    missing.set(each.repository, each);
  }
  return [...missing.values()];
}

/** Returns a graph of all packages of two lockfiles, each with its change. */
export function graphOfDiff(before: Lockfile, after: Lockfile): PackageGraph {
  const [old, now] = [graphOfLockfile(before), graphOfLockfile(after)];
  const { name } = shortNames([...old.nodes, ...now.nodes].map(({ id }) => id));
  const changes = new Map(changesBetween(before, after).map((each) => [each.repository, each]));
  const owners = { before: ownersIn(old), after: ownersIn(now) };
  const nodes = paired(old.nodes, now.nodes, ({ id }) => id).map(([a, b]) => {
    const node = changedNode(a, b, changes.get((b ?? a!).id), owners);
    return { ...node, name: name(node.id) };
  });
  return {
    of: 'diff',
    crossplane: now.crossplane,
    crossplaneBefore: old.crossplane === now.crossplane ? undefined : old.crossplane,
    story: [],
    hints: [],
    nodes,
    edges: paired(old.edges, now.edges, ({ from, to }) => `${from} ${to}`).map(changedEdge),
    clashes: now.clashes,
  };
}

/** Ids of owners by ownership key of the object. */
type Owners = ReadonlyMap<string, string>;

function ownersIn({ nodes }: PackageGraph): Owners {
  return new Map(
    nodes.flatMap(({ id, owns }) => owns.map((owned) => [ownershipKey(owned), id] as const)),
  );
}

function changedNode(
  before: GraphNode | undefined,
  after: GraphNode | undefined,
  change: Change | undefined,
  owners: { readonly before: Owners; readonly after: Owners },
): GraphNode {
  const node = after ?? before!;
  const owns = paired(before?.owns ?? [], after?.owns ?? [], ({ kind, name }) => `${kind} ${name}`)
    .map(([a, b]): GraphObject => {
      if (a !== undefined && b !== undefined) return b;
      const owned = (b ?? a)!;
      const other = (b === undefined ? owners.after : owners.before).get(ownershipKey(owned));
      return {
        ...owned,
        change: b === undefined ? 'removed' : 'added',
        ...(other !== undefined && other !== node.id && { other }),
      };
    })
    .sort(byKindAndName);
  if (change === undefined) return { ...node, owns };
  const { from, to, movedTag } = change;
  if (from === undefined) return { ...node, owns, change: 'added' };
  if (to === undefined) return { ...node, owns, change: 'removed' };
  const versionBefore = movedTag === undefined ? from : `${from} at ${movedTag.from}`;
  return { ...node, owns, change: 'moved', versionBefore };
}

function changedEdge([before, after]: readonly [
  GraphEdge | undefined,
  GraphEdge | undefined,
]): GraphEdge {
  if (after === undefined) return { ...before!, isUnmet: false, change: 'removed' };
  if (before === undefined) return { ...after, change: 'added' };
  const [a, b] = [before.constraints, after.constraints];
  if (a.length === b.length && a.every((each, i) => each === b[i])) return after;
  return { ...after, change: 'moved', constraintsBefore: a };
}

/** Pairs the items of both sides that have the same key, sorted by key. */
function paired<T>(
  before: readonly T[],
  after: readonly T[],
  key: (item: T) => string,
): (readonly [T | undefined, T | undefined])[] {
  const old = new Map(before.map((item) => [key(item), item]));
  const now = new Map(after.map((item) => [key(item), item]));
  const keys = [...new Set([...old.keys(), ...now.keys()])].sort(byCodePoint);
  return keys.map((each) => [old.get(each), now.get(each)]);
}

/** Returns the graph of the facts that exclude every solution for a Crossplane release. */
export function graphOfRefusal(
  { summary, graph, suggestions }: Pick<Refusal, 'summary' | 'graph' | 'suggestions'>,
  crossplane: string,
): PackageGraph {
  const packages = graph.nodes.filter(({ about }) => about === 'package');
  const { name } = shortNames(packages.map((node) => node.name));
  const requested = new Set(
    graph.edges.flatMap(({ from, to }) => (from.startsWith('input ') ? [to] : [])),
  );
  return {
    of: 'refusal',
    crossplane,
    story: summary.lines.length === 0 ? [`${summary.headline}.`] : summary.lines,
    hints: suggestions.map(({ text }) => text),
    nodes: graph.nodes
      .map((node): GraphNode => {
        const label = node.about === 'package' ? name(node.name) : node.name;
        const direct = node.about === 'package' && requested.has(node.id);
        const { id, versions } = node;
        return { id, kind: kindOf(node), name: label, version: versions, direct, owns: [] };
      })
      .sort((a, b) => byCodePoint(a.id, b.id)),
    edges: mergedEdges(
      graph.edges.map(({ constraint, ...edge }) => ({
        ...edge,
        constraints: constraint === '' ? [] : [constraint],
      })),
    ),
    clashes: graph.clashes,
  };
}

function kindOf({ about, kind }: RefusalNode): NodeKind {
  switch (about) {
    case 'package':
      return kind ?? 'Package';
    case 'input':
      return 'Input';
    case 'api':
      return 'API';
    case 'crossplane':
      return 'Crossplane';
  }
}

/** Returns the graph of a refusal, of the changes of a lockfile, or of a new lockfile. */
export function graphOfAnswer(
  answer: Solved | Unsolvable,
  before: Lockfile | undefined,
): PackageGraph {
  if (answer.status === 'unsolvable') return graphOfRefusal(answer, answer.target.version);
  return before === undefined || answer.changes.length === 0
    ? graphOfLockfile(answer.lockfile)
    : graphOfDiff(before, answer.lockfile);
}

/** Returns conflicts that a cluster would reject, as after a merge or an edit by hand. */
function lockfileConflicts(
  lockfile: Lockfile,
  name: (repository: Repository) => string,
): GraphClash[] {
  const target = targetFor(lockfile.crossplane);
  return [
    ...ownershipConflicts(lockfile, name),
    ...(target === undefined ? [] : unmetConstraints(lockfile, target, name)),
    ...(target === undefined ? [] : crossplaneConflicts(lockfile, target, name)),
    ...dependencyCycles(lockfile.packages).map((nodes): GraphClash => {
      const text = `${nodes.map(name).join(', ')}: a cycle of requirements`;
      return { clash: 'cycle', text, nodes };
    }),
  ];
}

/** Whether a locked package satisfies a requirement. */
function isMet(requirement: Requirement, locked: LockedPackage, target: Target): boolean {
  if (requirement.requires === 'crd') return true;
  const selector = selectorOf(requirement.constraint);
  return (
    satisfies(locked.version, selector, target, 'all') ||
    (selector.form === 'digest' && selector.digest === locked.digest)
  );
}

function unmetConstraints(
  lockfile: Lockfile,
  target: Target,
  name: (repository: Repository) => string,
): GraphClash[] {
  const graph = lockGraph(lockfile);
  return lockfile.packages.flatMap(({ repository }) =>
    graph
      .requirementsOf(repository)
      .filter(({ requirement, to }) => !isMet(requirement, to, target))
      .map(({ to, constraint }): GraphClash => {
        const text = `${name(repository)} requires ${name(to.repository)} \`${constraint}\`, and ${to.version} is locked`;
        return { clash: 'versions', text, nodes: [repository, to.repository] };
      }),
  );
}

function crossplaneConflicts(
  lockfile: Lockfile,
  target: Target,
  name: (repository: Repository) => string,
): GraphClash[] {
  return lockfile.packages.flatMap(({ repository, crossplane, object }): GraphClash[] => {
    if (crossplane === undefined || object.spec['ignoreCrossplaneConstraints'] === true) return [];
    if (satisfies(target.version, selectorOf(crossplane), target, 'named')) return [];
    const text = `${name(repository)} needs Crossplane \`${crossplane}\`, and the lockfile is for ${target.version}`;
    return [{ clash: 'crossplane', text, nodes: [repository] }];
  });
}

/** Returns one conflict for each pair of packages that own the same objects. */
function ownershipConflicts(
  { packages }: Lockfile,
  name: (repository: Repository) => string,
): GraphClash[] {
  const owners = new Map<string, Repository>();
  const shared = new Map<
    string,
    { nodes: readonly [Repository, Repository]; first: OwnedObject; count: number }
  >();
  for (const { repository, owns } of packages) {
    for (const owned of owns) {
      const owner = owners.get(ownershipKey(owned)) ?? repository;
      owners.set(ownershipKey(owned), owner);
      if (owner === repository) continue;
      const pair = `${owner} ${repository}`;
      const known = shared.get(pair) ?? { nodes: [owner, repository], first: owned, count: 0 };
      shared.set(pair, { ...known, count: known.count + 1 });
    }
  }
  return Array.from(shared.values(), ({ nodes, first, count }): GraphClash => {
    const more = count === 1 ? '' : ` and ${count - 1} more`;
    const text = `${name(nodes[0])} and ${name(nodes[1])} both own ${first.kind} ${first.name}${more}, and only one package can`;
    return { clash: 'ownership', text, nodes };
  });
}
