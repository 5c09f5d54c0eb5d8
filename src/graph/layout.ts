import { graphlib, layout } from '@dagrejs/dagre';
import { edgeText, nodeAbout, nodeName } from './node-text.js';
import type { GraphEdge, GraphNode, PackageGraph } from './package-graph.js';
import { atPorts } from './ports.js';
import { stacked } from './stacked.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where a node stands: its middle, and its size. */
export interface PlacedNode extends Point {
  readonly node: GraphNode;
  readonly width: number;
  readonly height: number;
}

/** How an edge runs, from border to border. */
export interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  /** The middle of the constraint; undefined: there is none to show. */
  readonly label: Point | undefined;
}

/** Sizes in pixels of a drawing at its natural size. */
export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  /** There is so much that constraints are shown only of edges that are looked at. */
  readonly isDense: boolean;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

const NODE_HEIGHT = 48;
const MIN_NODE_WIDTH = 120;
/** Room at both ends of a node, which the shapes cut off in part. */
const NODE_PADDING = 36;
/** Widths of a character of the name and of what stands below it. */
const NAME_CHARACTER = 8;
const ABOUT_CHARACTER = 6.6;
/** Width of a character of a constraint. */
export const LABEL_CHARACTER = 6.4;
const LABEL_HEIGHT = 14;
/** Edges beyond which constraints take more room than they are worth. */
const MAX_LABELLED_EDGES = 120;
/** Nodes that stand below one another without a drawing that is all height. */
const MAX_COLUMN = 24;

/** Places nodes in columns, requirers left of what they require, by the library dagre. */
export function layOut({ nodes, edges }: PackageGraph): GraphLayout {
  const drawn = new graphlib.Graph();
  drawn.setGraph({
    rankdir: 'LR',
    ranker: 'tight-tree',
    nodesep: 20,
    edgesep: 14,
    ranksep: 28,
    marginx: 16,
    marginy: 16,
  });
  const hasLabels = edges.length <= MAX_LABELLED_EDGES;
  for (const node of nodes) drawn.setNode(node.id, sizeOf(node));
  for (const edge of edges) {
    const text = hasLabels ? edgeText(edge) : '';
    const width = text === '' ? 0 : text.length * LABEL_CHARACTER + 10;
    const height = text === '' ? 0 : LABEL_HEIGHT;
    drawn.setEdge(edge.from, edge.to, { width, height, labelpos: 'c' });
  }
  layout(drawn);
  const placed = nodes.map((node): PlacedNode => {
    const { x, y } = drawn.node(node.id);
    return { node, x, y, ...sizeOf(node) };
  });
  if (!hasLabels || longestColumn(placed) > MAX_COLUMN) return stacked(placed, edges, MAX_COLUMN);
  const lines = edges.map((edge): PlacedEdge => {
    const { points, x, y } = drawn.edge(edge.from, edge.to);
    const isPlaced = edgeText(edge) !== '' && x !== undefined && y !== undefined;
    return { edge, points, label: isPlaced ? { x, y } : undefined };
  });
  const { width = 0, height = 0 } = drawn.graph();
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    isDense: false,
    nodes: placed,
    edges: atPorts(lines, placed),
  };
}

function sizeOf(node: GraphNode): { readonly width: number; readonly height: number } {
  const text = Math.max(
    nodeName(node).length * NAME_CHARACTER,
    nodeAbout(node).length * ABOUT_CHARACTER,
  );
  return { width: Math.max(MIN_NODE_WIDTH, Math.ceil(text) + NODE_PADDING), height: NODE_HEIGHT };
}

function longestColumn(placed: readonly PlacedNode[]): number {
  const lengths = new Map<number, number>();
  for (const { x } of placed) lengths.set(x, (lengths.get(x) ?? 0) + 1);
  return Math.max(0, ...lengths.values());
}
