import { printable } from '../text/printable.js';
import type { GraphEdge, GraphNode, PackageGraph } from './package-graph.js';

/** Characters of a label; more is cut in the middle, where names of a family are alike. */
const MAX_LABEL_LENGTH = 38;
/** Digits of a digest that are shown. */
const DIGEST_DIGITS = 12;

/** `6 packages for Crossplane v2.3.4`. */
export function graphTitle({ of, nodes, crossplane, crossplaneBefore }: PackageGraph): string {
  if (of === 'refusal') return `No set of versions for Crossplane ${printable(crossplane)}`;
  const release = printable(
    crossplaneBefore === undefined ? crossplane : `${crossplaneBefore} → ${crossplane}`,
  );
  if (of === 'lockfile') return `${howMany(nodes.length, 'package')} for Crossplane ${release}`;
  const changes = (['added', 'removed', 'moved'] as const).flatMap((change) => {
    const count = nodes.filter((node) => node.change === change).length;
    return count === 0 ? [] : [`${count} ${change}`];
  });
  const told = changes.length === 0 ? 'no package changes' : changes.join(', ');
  return `${howMany(nodes.length, 'package')} for Crossplane ${release}: ${told}`;
}

/** The name of a node, fit for one line. */
export function nodeName({ name }: GraphNode): string {
  return shortened(printable(name));
}

/** What stands below the name: `Provider v1.2.0`. */
export function nodeAbout(node: GraphNode): string {
  const { kind } = node;
  const versions = versionText(node);
  if (kind === 'Input') return 'asks';
  if (kind === 'API') return 'CRD asked for';
  if (kind === 'Crossplane') return shortened(versions);
  return `${kind}${versions === '' ? ', no version' : ` ${shortened(versions)}`}`;
}

/** `v1.2.0`; of what moves `v1.2.0 → v1.3.0`. */
export function versionText({ version, versionBefore }: GraphNode): string {
  return versionBefore === undefined
    ? withShortDigests(printable(version ?? ''))
    : withShortDigests(printable(`${versionBefore} → ${version}`));
}

/** The constraints of an edge, fit for one line. */
export function edgeText(edge: GraphEdge): string {
  return shortened(wholeEdgeText(edge));
}

/** The same in full. */
export function wholeEdgeText({ constraints, constraintsBefore }: GraphEdge): string {
  const now = constraints.join(' or ');
  return withShortDigests(
    printable(constraintsBefore === undefined ? now : `${constraintsBefore.join(' or ')} → ${now}`),
  );
}

function withShortDigests(text: string): string {
  return text.replaceAll(/(sha256:[0-9a-f]{64})/g, (digest) =>
    digest.slice(0, 'sha256:'.length + DIGEST_DIGITS),
  );
}

function shortened(text: string): string {
  if (text.length <= MAX_LABEL_LENGTH) return text;
  const half = Math.floor((MAX_LABEL_LENGTH - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}

/** `1 package`, `2 packages`. */
export function howMany(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
