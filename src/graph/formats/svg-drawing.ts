import {
  LABEL_CHARACTER,
  type GraphLayout,
  type PlacedEdge,
  type PlacedNode,
  type Point,
} from '../layout.js';
import { wholeEdgeText, edgeText, nodeAbout, nodeName } from '../node-text.js';
import type { GraphNode, NodeKind, PackageGraph } from '../package-graph.js';
import { escapedMarkup } from '../../text/markup/escaped-markup.js';
import { arrowPath, edgePath } from './edge-path.js';
import { nodeShape, shapeInset } from './node-shape.js';
import { rounded } from './rounded.js';

/** How far to the right the line between two owners swings. */
const SWING = 48;
const BADGE_RADIUS = 9;

/** What is drawn of a graph, as SVG without its outermost element; style sheets give it colour. */
export function svgDrawing(graph: PackageGraph, layout: GraphLayout): string {
  const index = new Map(graph.nodes.map(({ id }, i) => [id, i]));
  const placed = new Map(layout.nodes.map((each) => [each.node.id, each]));
  const clashes = graph.clashes.filter(({ clash }) => clash === 'ownership');
  return [
    '<g class="edges" aria-hidden="true">',
    ...layout.edges.map((edge) => edgeMarkup(edge, placed, index)),
    ...clashes.map(({ nodes, text }) =>
      ownersMarkup(
        nodes.map((id) => placed.get(id)!),
        text,
      ),
    ),
    '</g>',
    '<g class="nodes">',
    ...layout.nodes.map((node) => nodeMarkup(node, graph, index.get(node.node.id)!)),
    '</g>',
  ].join('\n');
}

/** The room that a drawing takes, with what stands out of the layout. */
export function drawnSize(graph: PackageGraph, { width, height }: GraphLayout): Point {
  const swings = graph.clashes.some(({ clash }) => clash === 'ownership');
  return { x: Math.max(width, MIN_SIZE) + (swings ? SWING : 0), y: Math.max(height, MIN_SIZE) };
}

/** Of an empty graph, too. */
const MIN_SIZE = 64;

function nodeMarkup(placed: PlacedNode, graph: PackageGraph, index: number): string {
  const { node, x, y, width, height } = placed;
  const isClash = graph.clashes.some(({ nodes }) => nodes.includes(node.id));
  const classes = [
    'node',
    kindClass(node.kind),
    ...(node.direct ? ['direct'] : []),
    ...(node.change === undefined ? [] : [node.change]),
    ...(node.version === undefined && node.kind !== 'Input' && node.kind !== 'API' ? ['open'] : []),
    ...(isClash ? ['clash'] : []),
  ];
  const sign = isClash ? '!' : changeSign(node.change);
  return [
    `<g class="${classes.join(' ')}" data-node="${index}" transform="translate(${rounded(x)} ${rounded(y)})">`,
    `<title>${escapedMarkup(nodeTitle(node, sign, graph))}</title>`,
    `<path class="shape" d="${nodeShape(node.kind, width, height)}"/>`,
    `<text class="name" y="-3">${escapedMarkup(nodeName(node))}</text>`,
    ` <text class="about" y="13">${escapedMarkup(nodeAbout(node))}</text>`,
    sign === '' ? '' : badgeMarkup(sign, { x: width / 2 - 6, y: -height / 2 }),
    '</g>',
  ].join('');
}

function badgeMarkup(sign: string, { x, y }: Point): string {
  const circle = `<circle cx="${rounded(x)}" cy="${rounded(y)}" r="${BADGE_RADIUS}"/>`;
  return ` <g class="badge">${circle}<text x="${rounded(x)}" y="${rounded(y + 4)}">${sign}</text></g>`;
}

/** What a tooltip and a screen reader say of a node. */
function nodeTitle(node: GraphNode, sign: string, { edges, clashes }: PackageGraph): string {
  const { id, name, direct, change } = node;
  const out = edges.filter(({ from }) => from === id).length;
  const into = edges.filter(({ to }) => to === id).length;
  const isCut = nodeName(node) !== name;
  return [
    // What is seen comes first, so that it can be spoken to a program that listens.
    [nodeName(node), nodeAbout(node), ...(sign === '' ? [] : [sign])].join(' '),
    ...(isCut ? [name] : []),
    ...(direct ? ['asked for directly'] : []),
    ...(change === undefined ? [] : [change]),
    ...(out === 0 ? [] : [`requires ${out}`]),
    ...(into === 0 ? [] : [`required by ${into}`]),
    ...clashes.flatMap(({ text, nodes }) => (nodes.includes(id) ? [text] : [])),
  ].join(', ');
}

function edgeMarkup(
  { edge, points, label }: PlacedEdge,
  placed: ReadonlyMap<string, PlacedNode>,
  index: ReadonlyMap<string, number>,
): string {
  const line = met(points, placed.get(edge.from)!, placed.get(edge.to)!);
  const classes = [
    'edge',
    ...(edge.isUnmet ? ['clash'] : []),
    ...(edge.change === undefined ? [] : [edge.change]),
  ];
  const [from, to] = [index.get(edge.from)!, index.get(edge.to)!];
  return [
    `<g class="${classes.join(' ')}" data-requirer="${from}" data-required="${to}">`,
    `<title>${escapedMarkup(`${edge.from} → ${edge.to} ${wholeEdgeText(edge)}`)}</title>`,
    `<path class="line" d="${edgePath(line)}"/><path class="arrow" d="${arrowPath(line)}"/>`,
    label === undefined ? '' : labelMarkup(edgeText(edge), label),
    '</g>',
  ].join('');
}

/** A constraint, on a plate that keeps lines from crossing it. */
function labelMarkup(text: string, { x, y }: Point): string {
  const width = text.length * LABEL_CHARACTER + 6;
  const plate = `<rect class="plate" x="${rounded(x - width / 2)}" y="${rounded(y - 7)}" width="${rounded(width)}" height="14" rx="4"/>`;
  return `${plate}<text x="${rounded(x)}" y="${rounded(y + 3.5)}">${escapedMarkup(text)}</text>`;
}

/** Two owners of one object: a line that swings from the one to the other. */
function ownersMarkup([one, other]: readonly PlacedNode[], text: string): string {
  if (one === undefined || other === undefined) return '';
  const [start, end] = [one.x + one.width / 2, other.x + other.width / 2];
  const swing = Math.max(start, end) + SWING;
  const path = `M${rounded(start)} ${rounded(one.y)}C${rounded(swing)} ${rounded(one.y)} ${rounded(swing)} ${rounded(other.y)} ${rounded(end)} ${rounded(other.y)}`;
  return `<g class="edge clash owners"><title>${escapedMarkup(text)}</title><path class="line" d="${path}"/></g>`;
}

/** Ends an edge at the outline of its nodes, which is not everywhere that of their rectangle. */
function met(points: readonly Point[], from: PlacedNode, to: PlacedNode): readonly Point[] {
  return points.map((point, i) => {
    if (i === 0) return onOutline(point, from);
    return i === points.length - 1 ? onOutline(point, to) : point;
  });
}

function onOutline(point: Point, { node, y, height, x }: PlacedNode): Point {
  const inset = shapeInset(node.kind, point.y - y, height);
  return { x: point.x + (point.x < x ? inset : -inset), y: point.y };
}

export function kindClass(kind: NodeKind): string {
  return kind.toLowerCase();
}

export function changeSign(change: GraphNode['change']): string {
  return { added: '+', removed: '−', moved: '~', '': '' }[change ?? ''];
}
