import { printable } from '../../base/escape.js';
import {
  fullEdgeText,
  edgeText,
  graphTitle,
  labelMark,
  nodeSubtitle,
  nodeName,
  type GraphEdge,
  type GraphNode,
  type NodeKind,
  type PackageGraph,
  ADDED,
  CONFLICT,
  PALETTE,
  REMOVED,
} from './package-graph.js';

const SHAPES: Readonly<Record<NodeKind, string>> = {
  Configuration: 'hexagon',
  Provider: 'box',
  Function: 'ellipse',
  Package: 'box',
  Input: 'note',
  API: 'cylinder',
  Crossplane: 'doubleoctagon',
};

/** Formats a graph in the DOT language of Graphviz. */
export function dotText(graph: PackageGraph): string {
  const ids = new Map(graph.nodes.map(({ id }, i) => [id, `n${i}`]));
  const clashing = new Set(graph.clashes.flatMap(({ nodes }) => nodes));
  const lines = [
    'digraph packages {',
    `  graph [rankdir=LR, label=${quoteDot(graphTitle(graph))}, labelloc=t, fontname="sans-serif"];`,
    '  node [fontname="sans-serif", fontsize=11, margin="0.15,0.08"];',
    '  edge [fontname="sans-serif", fontsize=9, color="#6b7280"];',
    ...graph.nodes.map((node) => `  ${nodeLine(node, ids.get(node.id)!, clashing)}`),
    ...graph.edges.map((edge) => `  ${edgeLine(edge, ids)}`),
    ...graph.clashes.flatMap(({ text, nodes }, i) => [
      `  c${i} [shape=plaintext, fontcolor="${CONFLICT.line}", label=${quoteDot(`⚠ ${text}`)}];`,
      ...nodes.map(
        (node) =>
          `  c${i} -> ${ids.get(node)} [arrowhead=none, style=dotted, color="${CONFLICT.line}", constraint=false];`,
      ),
    ]),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

function nodeLine(node: GraphNode, id: string, clashing: ReadonlySet<string>): string {
  const { kind, direct, change } = node;
  const isClash = clashing.has(node.id);
  const { fill, line } = isClash ? CONFLICT : PALETTE[kind];
  const border = change === 'added' ? ADDED : change === 'removed' ? REMOVED : line;
  const mark = labelMark(change, isClash);
  const attributes = [
    `label="${escapeDot(`${mark}${nodeName(node)}`)}\\n${escapeDot(nodeSubtitle(node))}"`,
    `tooltip=${quoteDot(node.id)}`,
    `shape=${SHAPES[kind]}`,
    `style="filled${change === 'removed' || node.version === undefined ? ',dashed' : ''}"`,
    `fillcolor="${fill}"`,
    `color="${border}"`,
    ...(direct ? ['penwidth=2.5'] : []),
  ];
  return `${id} [${attributes.join(', ')}];`;
}

function edgeLine(edge: GraphEdge, ids: ReadonlyMap<string, string>): string {
  const attributes = [
    `label=${quoteDot(edgeText(edge))}`,
    `tooltip=${quoteDot(fullEdgeText(edge))}`,
    ...(edge.isUnmet
      ? [`color="${CONFLICT.line}"`, `fontcolor="${CONFLICT.line}"`, 'penwidth=2']
      : []),
    ...(edge.change === 'added' ? [`color="${ADDED}"`, 'penwidth=2'] : []),
    ...(edge.change === 'removed' ? ['style=dashed'] : []),
  ];
  return `${ids.get(edge.from)} -> ${ids.get(edge.to)} [${attributes.join(', ')}];`;
}

function quoteDot(text: string): string {
  return `"${escapeDot(text)}"`;
}

/** Escapes text for a quoted string, in which Graphviz reads backslashes and HTML entities. */
function escapeDot(text: string): string {
  return printable(text).replaceAll('&', '&amp;').replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}
