import { graphlib, layout } from '@dagrejs/dagre';
import { getOrCreate } from '../../base/collections.js';
import {
  edgeText,
  type GraphEdge,
  type GraphNode,
  nodeSubtitle,
  nodeName,
  type PackageGraph,
} from './package-graph.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The position of a node (its center) and its size. */
export interface PlacedNode extends Point {
  readonly node: GraphNode;
  readonly width: number;
  readonly height: number;
}

/** The points of an edge, from border to border. */
export interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  /** Center of the constraint; undefined: there is none to show. */
  readonly label: Point | undefined;
}

/** The layout of a drawing. All sizes are in pixels at scale 1. */
export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  /** Whether constraints are shown only for selected edges, because there are too many. */
  readonly isDense: boolean;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

const NODE_HEIGHT = 48;
const MIN_NODE_WIDTH = 120;
/** Padding at both ends of a node, which some shapes cut off. */
const NODE_PADDING = 36;
/** Character widths of the name and of the text below it. */
const NAME_CHARACTER = 8;
const ABOUT_CHARACTER = 6.6;
/** Character width of a constraint. */
export const LABEL_CHARACTER = 6.4;
const LABEL_HEIGHT = 14;
/** Maximum number of edges of a drawing that shows constraints. */
const MAX_LABELLED_EDGES = 120;
const MAX_COLUMN = 24;

/** Places nodes in columns with the dagre library, from requirers to requirements. */
export function layOut({ nodes, edges }: PackageGraph): GraphLayout {
  const dagreGraph = new graphlib.Graph();
  dagreGraph.setGraph({
    rankdir: 'LR',
    ranker: 'tight-tree',
    nodesep: 20,
    edgesep: 14,
    ranksep: 28,
    marginx: 16,
    marginy: 16,
  });
  const hasLabels = edges.length <= MAX_LABELLED_EDGES;
  for (const node of nodes) dagreGraph.setNode(node.id, sizeOf(node));
  for (const edge of edges) {
    const text = hasLabels ? edgeText(edge) : '';
    const width = text === '' ? 0 : text.length * LABEL_CHARACTER + 10;
    const height = text === '' ? 0 : LABEL_HEIGHT;
    dagreGraph.setEdge(edge.from, edge.to, { width, height, labelpos: 'c' });
  }
  layout(dagreGraph);
  const placed = nodes.map((node): PlacedNode => {
    const { x, y } = dagreGraph.node(node.id);
    return { node, x, y, ...sizeOf(node) };
  });
  const longestColumn = Math.max(0, ...columnsOf(placed).map(({ length }) => length));
  if (!hasLabels || longestColumn > MAX_COLUMN) return denseLayout(placed, edges);
  const lines = edges.map((edge): PlacedEdge => {
    const { points, x, y } = dagreGraph.edge(edge.from, edge.to);
    const isPlaced = edgeText(edge) !== '' && x !== undefined && y !== undefined;
    return { edge, points, label: isPlaced ? { x, y } : undefined };
  });
  const { width = 0, height = 0 } = dagreGraph.graph();
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    isDense: false,
    nodes: placed,
    edges: withPorts(lines, placed),
  };
}

function sizeOf(node: GraphNode): { readonly width: number; readonly height: number } {
  const text = Math.max(
    nodeName(node).length * NAME_CHARACTER,
    nodeSubtitle(node).length * ABOUT_CHARACTER,
  );
  return { width: Math.max(MIN_NODE_WIDTH, Math.ceil(text) + NODE_PADDING), height: NODE_HEIGHT };
}

/** Returns the nodes of each column, from left to right. */
function columnsOf(placed: readonly PlacedNode[]): PlacedNode[][] {
  const columns = new Map<number, PlacedNode[]>();
  for (const each of placed) getOrCreate(columns, each.x, () => []).push(each);
  return [...columns].sort(([a], [b]) => a - b).map(([, members]) => members);
}

const MARGIN = 16;
const NODE_GAP = 14;
/** Gap between two columns, and between two parts of one column, where edges only pass through. */
const COLUMN_GAP = 130;
const PART_GAP = 36;

/**
 * Returns a denser layout for large graphs. Columns keep their order, the nodes of a column are
 * stacked, and long columns are split. Edges are straight and run behind nodes.
 */
function denseLayout(placed: readonly PlacedNode[], edges: readonly GraphEdge[]): GraphLayout {
  const nodes: PlacedNode[] = [];
  let left = MARGIN;
  let right = MARGIN;
  for (const part of columnParts(placed)) {
    left = right + (part.isFirst ? (nodes.length === 0 ? 0 : COLUMN_GAP) : PART_GAP);
    const width = Math.max(...part.members.map((member) => member.width));
    right = left + width;
    const step = part.members[0]!.height + NODE_GAP;
    const top = -(part.members.length * step) / 2;
    for (const [i, member] of part.members.entries()) {
      nodes.push({ ...member, x: left + width / 2, y: top + i * step });
    }
  }
  const highest = Math.min(0, ...nodes.map(({ y, height }) => y - height / 2)) - MARGIN;
  const moved = nodes.map((each) => ({ ...each, y: each.y - highest }));
  const at = new Map(moved.map((each) => [each.node.id, each]));
  const lines = edges.map((edge): PlacedEdge => {
    const [from, to] = [at.get(edge.from)!, at.get(edge.to)!];
    const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
    return { edge, points: [from, to], label: edgeText(edge) === '' ? undefined : middle };
  });
  return {
    width: Math.ceil(right + MARGIN),
    height: Math.ceil(Math.max(0, ...moved.map(({ y, height }) => y + height / 2)) + MARGIN),
    isDense: true,
    nodes: placed.map(({ node }) => at.get(node.id)!),
    edges: withPorts(lines, moved),
  };
}

interface ColumnPart {
  readonly isFirst: boolean;
  /** From top to bottom. */
  readonly members: readonly PlacedNode[];
}

function columnParts(placed: readonly PlacedNode[]): ColumnPart[] {
  return columnsOf(placed).flatMap((members) => {
    const inOrder = members.toSorted((a, b) => a.y - b.y);
    const length = Math.ceil(members.length / Math.ceil(members.length / MAX_COLUMN));
    return Array.from({ length: Math.ceil(members.length / length) }, (_, i) => ({
      isFirst: i === 0,
      members: inOrder.slice(i * length, (i + 1) * length),
    }));
  });
}

/** Maximum gap between two edges at one side of a node, in pixels. */
const MAX_GAP = 8;
/** Height of a side that is kept free of edges, in pixels. */
const FREE_HEIGHT = 18;

/**
 * Lets edges leave nodes on the right and enter them on the left, each at its own position, in
 * vertical order. Backward edges, as in a cycle, do not change.
 */
function withPorts(
  edges: readonly PlacedEdge[],
  nodes: readonly PlacedNode[],
): readonly PlacedEdge[] {
  const placed = new Map(nodes.map((each) => [each.node.id, each]));
  const forward = edges.filter(({ edge }) => placed.get(edge.from)!.x < placed.get(edge.to)!.x);
  const starts = ports(forward, 'from', placed);
  const ends = ports(forward, 'to', placed);
  return edges.map((each) => {
    if (!starts.has(each)) return each;
    const [from, to] = [placed.get(each.edge.from)!, placed.get(each.edge.to)!];
    const start = { x: from.x + from.width / 2, y: from.y + starts.get(each)! };
    const end = { x: to.x - to.width / 2, y: to.y + ends.get(each)! };
    return { ...each, points: [start, ...each.points.slice(1, -1), end] };
  });
}

/** Returns the vertical offset of one end of each edge from the center of its node. */
function ports(
  edges: readonly PlacedEdge[],
  end: 'from' | 'to',
  placed: ReadonlyMap<string, PlacedNode>,
): ReadonlyMap<PlacedEdge, number> {
  const next = ({ points }: PlacedEdge) => points.at(end === 'from' ? 1 : -2)!;
  const sides = new Map<string, PlacedEdge[]>();
  for (const each of edges) getOrCreate(sides, each.edge[end], () => []).push(each);
  const offsets = new Map<PlacedEdge, number>();
  for (const [id, members] of sides) {
    const height = placed.get(id)!.height - FREE_HEIGHT;
    const gap = Math.min(MAX_GAP, height / Math.max(1, members.length - 1));
    const inOrder = members.toSorted((a, b) => next(a).y - next(b).y);
    for (const [i, each] of inOrder.entries()) {
      offsets.set(each, (i - (members.length - 1) / 2) * gap);
    }
  }
  return offsets;
}
