import { getOrCreate } from '../../base/collections.js';
import type { Digest } from '../../base/digest.js';
import { printable } from '../../base/escape.js';
import type { OwnedObject } from '../../crossplane/packages/owned-objects.js';
import type { PackageKind } from '../../crossplane/packages/package.js';

/** A graph of packages, their requirements and conflicts. */
export interface PackageGraph {
  readonly of: 'lockfile' | 'diff' | 'refusal';
  /** Crossplane release of the graph. */
  readonly crossplane: string;
  /** For a diff: the previous release; undefined: the same. */
  readonly crossplaneBefore?: string | undefined;
  /** For a refusal: the explanation, one sentence per line; otherwise empty. */
  readonly story: readonly string[];
  /** For a refusal: changes that would each fix the conflict. */
  readonly hints: readonly string[];
  /** Sorted by id. */
  readonly nodes: readonly GraphNode[];
  /** Sorted by `from`, then `to`; at most one edge between two nodes. */
  readonly edges: readonly GraphEdge[];
  readonly clashes: readonly GraphClash[];
}

/** `Package`: a package without a known version. The last three kinds occur only in refusals. */
export type NodeKind = PackageKind | 'Package' | 'Input' | 'API' | 'Crossplane';

export interface GraphNode {
  /** For a package, its repository. */
  readonly id: string;
  readonly kind: NodeKind;
  /** Shortest suffix of the id that no other package has. */
  readonly name: string;
  /** Tag, digest, or a range in a refusal (`v1.0.0 to v1.2.0`); undefined: none, or not locked. */
  readonly version: string | undefined;
  /** For a diff: the previously locked version. */
  readonly versionBefore?: string | undefined;
  /** Whether the user requires it directly. */
  readonly direct: boolean;
  /** For a diff; undefined: unchanged. */
  readonly change?: 'added' | 'removed' | 'moved' | undefined;
  readonly digest?: Digest | undefined;
  /** Crossplane constraint of the package. */
  readonly crossplane?: string | undefined;
  /** Sorted by kind, then name. */
  readonly owns: readonly GraphObject[];
}

export interface GraphObject extends OwnedObject {
  readonly change?: 'added' | 'removed' | undefined;
  /** For an object with a new owner: the id of the other owner. */
  readonly other?: string | undefined;
}

/** A requirement of one node; from an API, the ownership by the other node. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Constraints as written: several if versions or entries differ; empty: any version. */
  readonly constraints: readonly string[];
  /** For a diff: the previous constraints, if they differ. */
  readonly constraintsBefore?: readonly string[] | undefined;
  readonly change?: GraphNode['change'];
  /** Whether the requirement is not satisfied. */
  readonly isUnmet: boolean;
}

/** A conflict between nodes, or of one node. */
export interface GraphClash {
  readonly clash: 'versions' | 'ownership' | 'cycle' | 'crossplane' | 'fact';
  /** A sentence without a full stop. */
  readonly text: string;
  /** Ids of the affected nodes. */
  readonly nodes: readonly string[];
}

/** Maximum length of a label. Longer ones are cut in the middle. */
const MAX_LABEL_LENGTH = 38;
/** Number of digits that are shown of a digest. */
const DIGEST_DIGITS = 12;

/** `6 packages for Crossplane v2.3.4`. */
export function graphTitle({ of, nodes, crossplane, crossplaneBefore }: PackageGraph): string {
  if (of === 'refusal') return `No set of versions for Crossplane ${printable(crossplane)}`;
  const release = printable(
    crossplaneBefore === undefined ? crossplane : `${crossplaneBefore} → ${crossplane}`,
  );
  const title = `${howMany(nodes.length, 'package')} for Crossplane ${release}`;
  if (of === 'lockfile') return title;
  const changes = (['added', 'removed', 'moved'] as const).flatMap((change) => {
    const count = nodes.filter((node) => node.change === change).length;
    return count === 0 ? [] : [`${count} ${change}`];
  });
  return `${title}: ${changes.join(', ') || 'no package changes'}`;
}

/** Returns the name of a node, shortened to one line. */
export function nodeName({ name }: GraphNode): string {
  return shortenText(printable(name));
}

/** Returns the text below the name: `Provider v1.2.0`. */
export function nodeSubtitle(node: GraphNode): string {
  const { kind } = node;
  const versions = versionText(node);
  if (kind === 'Input') return 'asks';
  if (kind === 'API') return 'CRD asked for';
  if (kind === 'Crossplane') return shortenText(versions);
  return `${kind}${versions === '' ? ', no version' : ` ${shortenText(versions)}`}`;
}

/** `v1.2.0`; for an update, `v1.2.0 → v1.3.0`. */
export function versionText({ version, versionBefore }: GraphNode): string {
  const text = versionBefore === undefined ? (version ?? '') : `${versionBefore} → ${version}`;
  return withShortDigests(printable(text));
}

/** Returns the constraints of an edge, shortened to one line. */
export function edgeText(edge: GraphEdge): string {
  return shortenText(fullEdgeText(edge));
}

export function fullEdgeText({ constraints, constraintsBefore }: GraphEdge): string {
  const now = constraints.join(' or ');
  const text = constraintsBefore === undefined ? now : `${constraintsBefore.join(' or ')} → ${now}`;
  return withShortDigests(printable(text));
}

function withShortDigests(text: string): string {
  return text.replaceAll(/(sha256:[0-9a-f]{64})/g, (digest) =>
    digest.slice(0, 'sha256:'.length + DIGEST_DIGITS),
  );
}

function shortenText(text: string): string {
  if (text.length <= MAX_LABEL_LENGTH) return text;
  const half = Math.floor((MAX_LABEL_LENGTH - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}

/** Returns the sign for a change in a diff; empty for no change. */
export function changeSign(change: GraphNode['change']): string {
  return { added: '+', removed: '−', moved: '~', '': '' }[change ?? ''];
}

/** Returns the mark before a label in formats that are text; empty for no change. */
export function labelMark(change: GraphNode['change'], isClash = false): string {
  if (isClash) return '⚠ ';
  return change === undefined ? '' : `${changeSign(change)} `;
}

/** `1 package`, `2 packages`. */
export function howMany(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Colors for formats without a style sheet: the fill of a node and its border. */
export const PALETTE: Readonly<Record<NodeKind, { readonly fill: string; readonly line: string }>> =
  {
    Configuration: { fill: '#ede9fe', line: '#6d28d9' },
    Provider: { fill: '#dbeafe', line: '#1d4ed8' },
    Function: { fill: '#dcfce7', line: '#15803d' },
    Package: { fill: '#f3f4f6', line: '#4b5563' },
    Input: { fill: '#fef3c7', line: '#b45309' },
    API: { fill: '#cffafe', line: '#0e7490' },
    Crossplane: { fill: '#e5e7eb', line: '#1f2937' },
  };

export const CONFLICT = { fill: '#fee2e2', line: '#b91c1c' };

export const ADDED = '#15803d';
export const REMOVED = '#6b7280';

/** Returns the shortest path to each node from a direct requirement, as ids including both ends. */
export function shortestPaths({
  nodes,
  edges,
}: PackageGraph): ReadonlyMap<string, readonly string[]> {
  const inputs = nodes.filter(({ kind }) => kind === 'Input');
  const starts = inputs.length > 0 ? inputs : nodes.filter(({ direct }) => direct);
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) getOrCreate(next, from, () => []).push(to);
  const paths = new Map<string, readonly string[]>(starts.map(({ id }) => [id, [id]]));
  // Breadth first: the loop also visits entries that are added on the way.
  for (const [id, path] of paths) {
    for (const to of next.get(id) ?? []) if (!paths.has(to)) paths.set(to, [...path, to]);
  }
  return paths;
}
