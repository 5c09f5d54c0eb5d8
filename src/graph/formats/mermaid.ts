import { printable } from '../../text/printable.js';
import { edgeText, graphTitle, nodeAbout, nodeName } from '../node-text.js';
import type { GraphEdge, GraphNode, NodeKind, PackageGraph } from '../package-graph.js';
import { ADDED, CLASH, PALETTE, REMOVED } from './palette.js';

/** The brackets that give a node its shape. */
const BRACKETS: Readonly<Record<NodeKind, readonly [string, string]>> = {
  Configuration: ['{{', '}}'],
  Provider: ['[', ']'],
  Function: ['([', '])'],
  Package: ['[', ']'],
  Input: ['[/', '/]'],
  API: ['[(', ')]'],
  Crossplane: ['[[', ']]'],
};

/** What Mermaid draws unless a page sets it otherwise, which GitHub's and GitLab's do not: fewer edges, as many characters. */
const MAX_EDGES = 500;
const MAX_CHARACTERS = 50_000;

/** Why Mermaid will not draw a flowchart; undefined: it will. */
export function tooLargeForMermaid(text: string): string | undefined {
  const edges = text.match(/^  n\d+ -|^  c\d+ -/gm)?.length ?? 0;
  if (edges >= MAX_EDGES) return `it has ${edges} edges, and Mermaid draws fewer than ${MAX_EDGES}`;
  const { length } = text;
  if (length <= MAX_CHARACTERS) return undefined;
  return `it has ${length} characters, and Mermaid draws ${MAX_CHARACTERS} at most`;
}

/** A flowchart in Mermaid's language, which GitHub and GitLab draw in Markdown. */
export function mermaidText(graph: PackageGraph): string {
  const ids = new Map(graph.nodes.map(({ id }, i) => [id, `n${i}`]));
  const clashing = new Set(graph.clashes.flatMap(({ nodes }) => nodes));
  const links = [
    ...graph.edges.map((edge) => edgeLine(edge, ids)),
    ...graph.clashes.flatMap(({ nodes }, i) =>
      nodes.map((node) => ({ line: `c${i} -.- ${ids.get(node)}`, style: red })),
    ),
  ];
  const lines = [
    `%% ${graphTitle(graph).replaceAll('%', '')}`,
    'flowchart LR',
    ...graph.nodes.map((node) => nodeLine(node, ids, clashing)),
    ...graph.clashes.map(({ text }, i) => `  c${i}["${quoted(`⚠ ${text}`)}"]:::clash`),
    ...links.map(({ line }) => `  ${line}`),
    ...links.flatMap(({ style }, i) => (style === undefined ? [] : [`  linkStyle ${i} ${style}`])),
    ...classLines(graph, ids, clashing),
  ];
  return `${lines.join('\n')}\n`;
}

const red = `stroke:${CLASH.line},color:${CLASH.line}`;

function nodeLine(
  node: GraphNode,
  ids: ReadonlyMap<string, string>,
  clashing: ReadonlySet<string>,
): string {
  const [open, close] = BRACKETS[node.kind];
  const sign = clashing.has(node.id) ? '⚠ ' : changeSign(node.change);
  const label = `${quoted(`${sign}${nodeName(node)}`)}<br/>${quoted(nodeAbout(node))}`;
  return `  ${ids.get(node.id)}${open}"${label}"${close}`;
}

function edgeLine(
  edge: GraphEdge,
  ids: ReadonlyMap<string, string>,
): { readonly line: string; readonly style: string | undefined } {
  const text = `${changeSign(edge.change)}${edgeText(edge)}`;
  const label = text === '' ? '' : `|"${quoted(text)}"|`;
  const arrow = edge.change === 'removed' ? '-.->' : '-->';
  const line = `${ids.get(edge.from)} ${arrow}${label} ${ids.get(edge.to)}`;
  return { line, style: edge.isUnmet ? red : undefined };
}

function changeSign(change: GraphNode['change']): string {
  return { added: '+ ', removed: '− ', moved: '~ ', '': '' }[change ?? ''];
}

/** Which nodes look how; a class that no node has is left out. */
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
    [
      'clash',
      `fill:${CLASH.fill},stroke:${CLASH.line},color:${CLASH.line}`,
      ({ id }) => clashing.has(id),
    ],
  ];
  return classes.flatMap(([name, style, has]) => {
    const members = nodes.filter(has).map(({ id }) => ids.get(id));
    if (members.length === 0 && (name !== 'clash' || clashes.length === 0)) return [];
    const define = `  classDef ${name} ${style}`;
    return members.length === 0 ? [define] : [define, `  class ${members.join(',')} ${name}`];
  });
}

/**
 * Text for a quoted label. All that may mean something to Mermaid, to the Markdown or the HTML in
 * its labels is written as a character code: `#35;`.
 */
function quoted(text: string): string {
  return printable(text).replaceAll(
    /[^\p{L}\p{N} ./:@+,()=^~→…⚠−-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
}
