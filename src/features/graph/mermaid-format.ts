import { printable } from '../../base/escape.js';
import {
  ADDED,
  CONFLICT,
  edgeText,
  type GraphEdge,
  type GraphNode,
  graphTitle,
  labelMark,
  nodeSubtitle,
  type NodeKind,
  nodeName,
  type PackageGraph,
  PALETTE,
  REMOVED,
} from './package-graph.js';

/** Brackets that define the shape of a node. */
const BRACKETS: Readonly<Record<NodeKind, readonly [string, string]>> = {
  Configuration: ['{{', '}}'],
  Provider: ['[', ']'],
  Function: ['([', '])'],
  Package: ['[', ']'],
  Input: ['[/', '/]'],
  API: ['[(', ')]'],
  Crossplane: ['[[', ']]'],
};

/** Default limits of Mermaid: graphs need fewer edges, and at most this many characters. */
const MAX_EDGES = 500;
const MAX_CHARACTERS = 50_000;

/** Returns why Mermaid refuses to draw a flowchart; undefined: it draws it. */
export function tooLargeForMermaid(text: string): string | undefined {
  const edges = text.match(/^  n\d+ -|^  c\d+ -/gm)?.length ?? 0;
  if (edges >= MAX_EDGES) return `it has ${edges} edges, and Mermaid draws fewer than ${MAX_EDGES}`;
  const { length } = text;
  if (length <= MAX_CHARACTERS) return undefined;
  return `it has ${length} characters, and Mermaid draws ${MAX_CHARACTERS} at most`;
}

/** Formats a graph as a Mermaid flowchart, which GitHub and GitLab draw in Markdown. */
export function mermaidText(graph: PackageGraph): string {
  const ids = new Map(graph.nodes.map(({ id }, i) => [id, `n${i}`]));
  const clashing = new Set(graph.clashes.flatMap(({ nodes }) => nodes));
  const links = [
    ...graph.edges.map((edge) => edgeLine(edge, ids)),
    ...graph.clashes.flatMap(({ nodes }, i) =>
      nodes.map((node) => ({ line: `c${i} -.- ${ids.get(node)}`, style: CLASH_STYLE })),
    ),
  ];
  const lines = [
    `%% ${graphTitle(graph).replaceAll('%', '')}`,
    'flowchart LR',
    ...graph.nodes.map((node) => nodeLine(node, ids, clashing)),
    ...graph.clashes.map(({ text }, i) => `  c${i}["${escapeMermaid(`⚠ ${text}`)}"]:::clash`),
    ...links.map(({ line }) => `  ${line}`),
    ...links.flatMap(({ style }, i) => (style === undefined ? [] : [`  linkStyle ${i} ${style}`])),
    ...classLines(graph, ids, clashing),
  ];
  return `${lines.join('\n')}\n`;
}

const CLASH_STYLE = `stroke:${CONFLICT.line},color:${CONFLICT.line}`;

function nodeLine(
  node: GraphNode,
  ids: ReadonlyMap<string, string>,
  clashing: ReadonlySet<string>,
): string {
  const [open, close] = BRACKETS[node.kind];
  const mark = labelMark(node.change, clashing.has(node.id));
  const label = `${escapeMermaid(`${mark}${nodeName(node)}`)}<br/>${escapeMermaid(nodeSubtitle(node))}`;
  return `  ${ids.get(node.id)}${open}"${label}"${close}`;
}

function edgeLine(edge: GraphEdge, ids: ReadonlyMap<string, string>) {
  const text = `${labelMark(edge.change)}${edgeText(edge)}`;
  const label = text === '' ? '' : `|"${escapeMermaid(text)}"|`;
  const arrow = edge.change === 'removed' ? '-.->' : '-->';
  const line = `${ids.get(edge.from)} ${arrow}${label} ${ids.get(edge.to)}`;
  return { line, style: edge.isUnmet ? CLASH_STYLE : undefined };
}

/** Returns the style classes and their nodes. Classes without nodes are left out. */
function classLines(
  { nodes, clashes }: PackageGraph,
  ids: ReadonlyMap<string, string>,
  clashing: ReadonlySet<string>,
): string[] {
  const classes: (readonly [string, string, (node: GraphNode) => boolean])[] = [
    ...Object.entries(PALETTE).map(([kind, { fill, line }]) => {
      const style = `fill:${fill},stroke:${line},color:#111827`;
      return [kind, style, (node: GraphNode) => node.kind === kind] as const;
    }),
    ['direct', 'stroke-width:3px', ({ direct }) => direct],
    ['added', `stroke:${ADDED},stroke-width:3px`, ({ change }) => change === 'added'],
    ['removed', `stroke:${REMOVED},stroke-dasharray:5 4`, ({ change }) => change === 'removed'],
    ['clash', `fill:${CONFLICT.fill},${CLASH_STYLE}`, ({ id }) => clashing.has(id)],
  ];
  return classes.flatMap(([name, style, has]) => {
    const members = nodes.filter(has).map(({ id }) => ids.get(id));
    if (members.length === 0 && (name !== 'clash' || clashes.length === 0)) return [];
    const define = `  classDef ${name} ${style}`;
    return members.length === 0 ? [define] : [define, `  class ${members.join(',')} ${name}`];
  });
}

/** Escapes markup characters of a quoted label as character codes such as `#35;`. */
function escapeMermaid(text: string): string {
  return printable(text).replaceAll(
    /[^\p{L}\p{N} ./:@+,()=^~→…⚠−-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
}
