import { LABEL_CHARACTER, layOut, type PlacedEdge, type PlacedNode, type Point } from './layout.js';
import {
  changeSign,
  edgeText,
  type GraphNode,
  graphTitle,
  nodeSubtitle,
  type NodeKind,
  nodeName,
  type PackageGraph,
  fullEdgeText,
} from './package-graph.js';
import { stronglyConnectedComponents } from '../../base/collections.js';
import { escapeMarkup } from '../../base/escape.js';
import { thousands, wrap } from '../../base/messages.js';

const LINE_HEIGHT = 18;
const MARGIN = 16;
/** Character width of the lines above the drawing. */
const CHARACTER = 6.6;

/** Formats a graph as a standalone SVG file. `style`: the style sheet of drawings. */
export function svgText(whole: PackageGraph, style: string): string {
  const drawn = svgDrawing(whole);
  const { story, clashes } = drawn.graph;
  const lines = [
    { look: 'title', text: graphTitle(whole) },
    ...story.flatMap((line) => spanLines('told', line)),
    ...clashes.flatMap(({ text }) => spanLines('told clash', `⚠ ${text}`)),
  ];
  const top = MARGIN + lines.length * LINE_HEIGHT;
  const longest = Math.max(...lines.map(({ text }) => text.length));
  const width = Math.max(drawn.width, Math.ceil(longest * CHARACTER) + 2 * MARGIN);
  const height = drawn.height + top;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="graph" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escapeMarkup(graphTitle(whole))}</title>`,
    `<style>${style}</style>`,
    '<rect class="paper" width="100%" height="100%"/>',
    ...lines.map(({ look, text }, i) => {
      const y = MARGIN + (i + 0.5) * LINE_HEIGHT;
      return `<text class="${look}" x="${MARGIN}" y="${y}" xml:space="preserve">${escapeMarkup(text)}</text>`;
    }),
    `<g transform="translate(0 ${top})">`,
    drawn.content,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Returns the lines of a text. `look`: class names in the style sheet. */
function spanLines(look: string, text: string) {
  const indent = ' '.repeat(text.length - text.trimStart().length);
  return wrap(text.trimStart(), indent, `${indent}    `).map((line) => ({ look, text: line }));
}

/** Distance by which the line between two owners bends to the right. */
const BEND = 48;
const BADGE_RADIUS = 9;

/** The content of an SVG element, and its size in pixels. Style sheets add the colors. */
interface SvgDrawing {
  /** The graph without nodes that are too deep to be drawn. */
  readonly graph: PackageGraph;
  readonly isDense: boolean;
  readonly width: number;
  readonly height: number;
  readonly content: string;
}

export function svgDrawing(whole: PackageGraph): SvgDrawing {
  const graph = withoutDeepNodes(whole);
  const layout = layOut(graph);
  const index = new Map(graph.nodes.map(({ id }, i) => [id, i]));
  const placed = new Map(layout.nodes.map((each) => [each.node.id, each]));
  const shared = graph.clashes.filter(({ clash }) => clash === 'ownership');
  const content = [
    '<g class="edges" aria-hidden="true">',
    ...layout.edges.map((edge) => edgeMarkup(edge, placed, index)),
    ...shared.map(({ nodes, text }) => {
      const owners = nodes.map((id) => placed.get(id)!);
      return ownersMarkup(owners, text);
    }),
    '</g>',
    '<g class="nodes">',
    ...layout.nodes.map((node) => nodeMarkup(node, graph, index.get(node.node.id)!)),
    '</g>',
  ].join('\n');
  return {
    graph,
    isDense: layout.isDense,
    width: Math.max(layout.width, MIN_SIZE) + (shared.length > 0 ? BEND : 0),
    height: Math.max(layout.height, MIN_SIZE),
    content,
  };
}

/** Minimum width and height, also for an empty graph. */
const MIN_SIZE = 64;

function nodeMarkup(placed: PlacedNode, graph: PackageGraph, index: number): string {
  const { node, x, y, width, height } = placed;
  const isClash = graph.clashes.some(({ nodes }) => nodes.includes(node.id));
  const isOpen = node.version === undefined && node.kind !== 'Input' && node.kind !== 'API';
  const classes = [
    'node',
    kindClass(node.kind),
    node.direct && 'direct',
    node.change,
    isOpen && 'open',
    isClash && 'clash',
  ].filter(Boolean);
  const sign = isClash ? '!' : changeSign(node.change);
  return [
    `<g class="${classes.join(' ')}" data-node="${index}" transform="translate(${round(x)} ${round(y)})">`,
    `<title>${escapeMarkup(nodeTitle(node, sign, graph))}</title>`,
    `<path class="shape" d="${nodeShape(node.kind, width, height)}"/>`,
    `<text class="name" y="-3">${escapeMarkup(nodeName(node))}</text>`,
    ` <text class="about" y="13">${escapeMarkup(nodeSubtitle(node))}</text>`,
    sign === '' ? '' : badgeMarkup(sign, { x: width / 2 - 6, y: -height / 2 }),
    '</g>',
  ].join('');
}

function badgeMarkup(sign: string, { x, y }: Point): string {
  const circle = `<circle cx="${round(x)}" cy="${round(y)}" r="${BADGE_RADIUS}"/>`;
  return ` <g class="badge">${circle}<text x="${round(x)}" y="${round(y + 4)}">${sign}</text></g>`;
}

/** Returns the tooltip of a node, which screen readers read. */
function nodeTitle(node: GraphNode, sign: string, { edges, clashes }: PackageGraph): string {
  const { id, name, direct, change } = node;
  const out = edges.filter(({ from }) => from === id).length;
  const into = edges.filter(({ to }) => to === id).length;
  const isCut = nodeName(node) !== name;
  return [
    // The visible text comes first, so that speech recognition finds it.
    [nodeName(node), nodeSubtitle(node), ...(sign === '' ? [] : [sign])].join(' '),
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
  const line = clipLine(points, placed.get(edge.from)!, placed.get(edge.to)!);
  const classes = ['edge', edge.isUnmet && 'clash', edge.change].filter(Boolean);
  const [from, to] = [index.get(edge.from)!, index.get(edge.to)!];
  return [
    `<g class="${classes.join(' ')}" data-requirer="${from}" data-required="${to}">`,
    `<title>${escapeMarkup(`${edge.from} → ${edge.to} ${fullEdgeText(edge)}`)}</title>`,
    `<path class="line" d="${edgePath(line)}"/><path class="arrow" d="${arrowPath(line)}"/>`,
    label === undefined ? '' : labelMarkup(edgeText(edge), label),
    '</g>',
  ].join('');
}

/** Returns a constraint on a plate that hides lines behind it. */
function labelMarkup(text: string, { x, y }: Point): string {
  const width = text.length * LABEL_CHARACTER + 6;
  const plate = `<rect class="plate" x="${round(x - width / 2)}" y="${round(y - 7)}" width="${round(width)}" height="14" rx="4"/>`;
  return `${plate}<text x="${round(x)}" y="${round(y + 3.5)}">${escapeMarkup(text)}</text>`;
}

/** Returns a curved line between two owners of one object. */
function ownersMarkup([one, other]: readonly PlacedNode[], text: string): string {
  if (one === undefined || other === undefined) return '';
  const [start, end] = [one.x + one.width / 2, other.x + other.width / 2];
  const bend = Math.max(start, end) + BEND;
  const path = `M${round(start)} ${round(one.y)}C${round(bend)} ${round(one.y)} ${round(bend)} ${round(other.y)} ${round(end)} ${round(other.y)}`;
  return `<g class="edge clash owners"><title>${escapeMarkup(text)}</title><path class="line" d="${path}"/></g>`;
}

/** Ends an edge at the outline of its nodes, which may be inside of their rectangles. */
function clipLine(points: readonly Point[], from: PlacedNode, to: PlacedNode): readonly Point[] {
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

/** Sizes relative to node height: hexagon point, note fold, half of the cylinder lid. */
const POINT = 0.3;
const FOLD = 0.22;
const LID = 0.12;
/** Distance of the second border of Crossplane, relative to the height. */
const BORDER = 0.1;

/** Returns the outline of a node as path data of SVG, centered at the origin. */
export function nodeShape(kind: NodeKind, width: number, height: number): string {
  const [x, y] = [width / 2, height / 2];
  const point = Math.round(height * POINT);
  const fold = Math.round(height * FOLD);
  const lid = Math.round(height * LID);
  const border = Math.round(height * BORDER);
  switch (kind) {
    case 'Configuration':
      return `M${-x} 0L${point - x} ${-y}H${x - point}L${x} 0L${x - point} ${y}H${point - x}Z`;
    case 'Function':
      return `M${y - x} ${-y}H${x - y}A${y} ${y} 0 0 1 ${x - y} ${y}H${y - x}A${y} ${y} 0 0 1 ${y - x} ${-y}Z`;
    case 'Input':
      return `M${-x} ${-y}H${x - fold}L${x} ${fold - y}V${y}H${-x}ZM${x - fold} ${-y}V${fold - y}H${x}`;
    case 'API':
      return `M${-x} ${lid - y}A${x} ${lid} 0 0 1 ${x} ${lid - y}V${y - lid}A${x} ${lid} 0 0 1 ${-x} ${y - lid}ZM${-x} ${lid - y}A${x} ${lid} 0 0 0 ${x} ${lid - y}`;
    case 'Crossplane':
      return `M${-x} ${-y}H${x}V${y}H${-x}ZM${border - x} ${-y}V${y}M${x - border} ${-y}V${y}`;
    case 'Provider':
    case 'Package':
      return `M${-x} ${-y}H${x}V${y}H${-x}Z`;
  }
}

/** Returns the distance of the outline from its rectangle, at a vertical offset from the center. */
function shapeInset(kind: NodeKind, offset: number, height: number): number {
  const y = height / 2;
  const distance = Math.min(Math.abs(offset), y);
  if (kind === 'Configuration') return (POINT * height * distance) / y;
  return kind === 'Function' ? y - Math.sqrt(y * y - distance * distance) : 0;
}

const ARROW_LENGTH = 8;
const ARROW_HALF_WIDTH = 3.5;

/** Returns a curve through points, horizontal at each of them, as path data of SVG. */
function edgePath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  let before = first!;
  const bends = rest.map((point) => {
    const middle = round((before.x + point.x) / 2);
    const bend = `C${middle} ${round(before.y)} ${middle} ${round(point.y)} ${round(point.x)} ${round(point.y)}`;
    before = point;
    return bend;
  });
  return `M${round(first!.x)} ${round(first!.y)}${bends.join('')}`;
}

/** Returns the arrow head at the end of such a curve. */
function arrowPath(points: readonly Point[]): string {
  const [before, tip] = [points.at(-2)!, points.at(-1)!];
  const back = tip.x - (tip.x < before.x ? -1 : 1) * ARROW_LENGTH;
  const [top, bottom] = [tip.y - ARROW_HALF_WIDTH, tip.y + ARROW_HALF_WIDTH];
  return `M${round(tip.x)} ${round(tip.y)}L${round(back)} ${round(top)}V${round(bottom)}Z`;
}

/** Formats a number with one decimal. */
function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Maximum number of levels of a drawing: the layout library recurses once for each level. */
const MAX_LEVELS = 300;

/** Removes nodes that are too deep to be drawn, and adds a note with their number. */
function withoutDeepNodes(graph: PackageGraph): PackageGraph {
  const levels = levelsOf(graph);
  const nodes = graph.nodes.filter(({ id }) => levels.get(id)! <= MAX_LEVELS);
  const omitted = graph.nodes.length - nodes.length;
  if (omitted === 0) return graph;
  const ids = new Set(nodes.map(({ id }) => id));
  const note = `${thousands(omitted)} packages more than ${MAX_LEVELS} levels deep are not drawn; -o json has all of them`;
  return {
    ...graph,
    story: [...graph.story, note],
    nodes,
    edges: graph.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
    clashes: graph.clashes.filter((clash) => clash.nodes.every((id) => ids.has(id))),
  };
}

/** Returns the length of the longest path to each node. A cycle counts with all its members. */
function levelsOf({ nodes, edges }: PackageGraph): ReadonlyMap<string, number> {
  const requirers = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { from, to } of edges) requirers.get(to)?.push(from);
  const levels = new Map<string, number>();
  for (const members of stronglyConnectedComponents(requirers)) {
    const above = members.flatMap((id) => requirers.get(id)!.map((from) => levels.get(from) ?? 0));
    const level = members.length + above.reduce((most, each) => Math.max(most, each), 0);
    for (const id of members) levels.set(id, level);
  }
  return levels;
}
