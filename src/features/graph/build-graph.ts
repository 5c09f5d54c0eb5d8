import { isDeepStrictEqual } from 'node:util';
import type {
  GraphClash,
  GraphEdge,
  GraphNode,
  GraphObject,
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
import type { PackageRequirement } from '../../crossplane/packages/package-meta.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { shortNames } from '../../crossplane/packages/repository-names.js';
import { type Target, targetFor } from '../../crossplane/releases/target.js';
import { dependencyCycles, type LockEdge, lockGraph } from '../../project/lockfile/lock-graph.js';
import {
  type Change,
  changesBetween,
  type LockedPackage,
  type Lockfile,
} from '../../project/lockfile/lockfile.js';
import type { Refusal } from '../../resolver/explain/refusal.js';
import type { Solved, Unsolvable } from '../../resolver/resolve/answer.js';

/** Returns the graph of a lockfile. Missing packages are nodes without a version. */
export function graphOfLockfile(lockfile: Lockfile): PackageGraph {
  const missing = unlockedOf(lockfile);
  const repositories = [...lockfile.packages, ...missing].map(({ repository }) => repository);
  const { name } = shortNames(repositories);
  const target = targetFor(lockfile.crossplane);
  const graph = lockGraph(lockfile);
  const requirements = lockfile.packages.flatMap(({ repository }) =>
    graph.requirementsOf(repository).map((edge) => {
      return { ...edge, isUnmet: target !== undefined && !isMet(edge, target) };
    }),
  );
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
    edges: edgesOf(lockfile, requirements),
    // Conflicts that a cluster would reject, as after a merge or an edit by hand.
    clashes: [
      ...ownershipConflicts(lockfile, name),
      ...requirements.filter(({ isUnmet }) => isUnmet).map((edge) => unmetConstraint(edge, name)),
      ...(target === undefined ? [] : crossplaneConflicts(lockfile, target, name)),
      ...dependencyCycles(lockfile.packages).map((members): GraphClash => {
        const text = `${members.map(name).join(', ')}: a cycle of requirements`;
        return { clash: 'cycle', text, nodes: members };
      }),
    ],
  };
}

type ShortName = (repository: Repository) => string;

function edgesOf(
  lockfile: Lockfile,
  requirements: readonly (LockEdge & Pick<GraphEdge, 'isUnmet'>)[],
): GraphEdge[] {
  const edges = [
    ...requirements.map(({ from, to, constraint, isUnmet }) => {
      return { from: from.repository, to: to.repository, constraints: [constraint], isUnmet };
    }),
    ...lockfile.packages.flatMap((locked) =>
      unlockedOf(lockfile, locked).map(({ repository: to, constraint }) => {
        return { from: locked.repository, to, constraints: [constraint], isUnmet: false };
      }),
    ),
  ];
  return mergedEdges(edges).map((edge) => ({
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
function unlockedOf({ packages }: Lockfile, of?: LockedPackage): readonly PackageRequirement[] {
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
  const nodes = pairUp(old.nodes, now.nodes, ({ id }) => id).map((pair) => {
    const { id } = pair[1] ?? pair[0]!;
    return { ...changedNode(pair, changes.get(id), owners), name: name(id) };
  });
  return {
    of: 'diff',
    crossplane: now.crossplane,
    crossplaneBefore: old.crossplane === now.crossplane ? undefined : old.crossplane,
    story: [],
    hints: [],
    nodes,
    edges: pairUp(old.edges, now.edges, ({ from, to }) => `${from} ${to}`).map(changedEdge),
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
  [before, after]: Pair<GraphNode>,
  change: Change | undefined,
  owners: { readonly before: Owners; readonly after: Owners },
): GraphNode {
  const node = after ?? before!;
  const owns = pairUp(before?.owns ?? [], after?.owns ?? [], ({ kind, name }) => `${kind} ${name}`)
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

function changedEdge([before, after]: Pair<GraphEdge>): GraphEdge {
  if (after === undefined) return { ...before!, isUnmet: false, change: 'removed' };
  if (before === undefined) return { ...after, change: 'added' };
  if (isDeepStrictEqual(before.constraints, after.constraints)) return after;
  return { ...after, change: 'moved', constraintsBefore: before.constraints };
}

/** The items of both sides with the same key; undefined: one side does not have it. */
type Pair<T> = readonly [before: T | undefined, after: T | undefined];

/** Pairs the items of both sides that have the same key, sorted by key. */
function pairUp<T>(before: readonly T[], after: readonly T[], key: (item: T) => string): Pair<T>[] {
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
        const { id, versions, about, kind } = node;
        const label = about === 'package' ? name(node.name) : node.name;
        const direct = about === 'package' && requested.has(id);
        return {
          id,
          kind: kind ?? NODE_KINDS[about],
          name: label,
          version: versions,
          direct,
          owns: [],
        };
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

const NODE_KINDS = {
  package: 'Package',
  input: 'Input',
  api: 'API',
  crossplane: 'Crossplane',
} as const;

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

/** Whether a locked package satisfies a requirement. */
function isMet({ requirement, to: { version, digest } }: LockEdge, target: Target): boolean {
  if (requirement.requires === 'crd') return true;
  const selector = selectorOf(requirement.constraint);
  return (
    satisfies(version, selector, target, 'all') ||
    (selector.form === 'digest' && selector.digest === digest)
  );
}

function unmetConstraint({ from, to, constraint }: LockEdge, name: ShortName): GraphClash {
  const text = `${name(from.repository)} requires ${name(to.repository)} \`${constraint}\`, and ${to.version} is locked`;
  return { clash: 'versions', text, nodes: [from.repository, to.repository] };
}

function crossplaneConflicts(lockfile: Lockfile, target: Target, name: ShortName): GraphClash[] {
  return lockfile.packages.flatMap(({ repository, crossplane, object }): GraphClash[] => {
    if (crossplane === undefined || object.spec['ignoreCrossplaneConstraints'] === true) return [];
    if (satisfies(target.version, selectorOf(crossplane), target, 'named')) return [];
    const text = `${name(repository)} needs Crossplane \`${crossplane}\`, and the lockfile is for ${target.version}`;
    return [{ clash: 'crossplane', text, nodes: [repository] }];
  });
}

/** Returns one conflict for each pair of packages that own the same objects. */
function ownershipConflicts({ packages }: Lockfile, name: ShortName): GraphClash[] {
  const owners = new Map<string, Repository>();
  const shared = new Map<string, { nodes: Repository[]; objects: OwnedObject[] }>();
  for (const { repository, owns } of packages) {
    for (const owned of owns) {
      const owner = getOrCreate(owners, ownershipKey(owned), () => repository);
      if (owner === repository) continue;
      const nodes = [owner, repository];
      getOrCreate(shared, nodes.join(' '), () => ({ nodes, objects: [] })).objects.push(owned);
    }
  }
  return Array.from(shared.values(), ({ nodes, objects }): GraphClash => {
    const { kind, name: first } = objects[0]!;
    const more = objects.length === 1 ? '' : ` and ${objects.length - 1} more`;
    const text = `${nodes.map(name).join(' and ')} both own ${kind} ${first}${more}, and only one package can`;
    return { clash: 'ownership', text, nodes };
  });
}
