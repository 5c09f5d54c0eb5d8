import { changesBetween, type Change } from '../lock/changes.js';
import type { Lockfile } from '../lock/lockfile.js';
import { shortNames } from '../explain/short/short-names.js';
import { byKindAndName, ownershipKey } from '../model/owned-object.js';
import { byCodePoint } from '../text/code-point-order.js';
import { graphOfLockfile } from './graph-of-lockfile.js';
import type { GraphEdge, GraphNode, GraphObject, PackageGraph } from './package-graph.js';

/** What changes from one lockfile to another: all that either has, each with what becomes of it. */
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

/** Who owns what, by its ownership key. */
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

/** What has the same key on both sides, by key. */
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
