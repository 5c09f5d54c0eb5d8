import type { GraphEdge } from './package-graph.js';
import type { PlacedEdge, PlacedNode, Point } from './layout.js';

/** Pixels between two edges that meet one side of a node, at most. */
const MAX_GAP = 8;
/** What of a side stays free of edges. */
const FREE = 18;

/**
 * Lets edges leave nodes at their right and meet them at their left, each at a place of its own, in
 * the order in which they come. An edge that runs back, as one of a cycle does, stays as it is.
 */
export function atPorts(
  edges: readonly PlacedEdge[],
  nodes: readonly PlacedNode[],
): readonly PlacedEdge[] {
  const placed = new Map(nodes.map((each) => [each.node.id, each]));
  const runsOn = ({ edge }: PlacedEdge) => placed.get(edge.from)!.x < placed.get(edge.to)!.x;
  const forward = edges.filter(runsOn);
  const starts = ports(
    forward,
    ({ from }) => from,
    ({ points }) => points[1]!,
    placed,
  );
  const ends = ports(
    forward,
    ({ to }) => to,
    ({ points }) => points.at(-2)!,
    placed,
  );
  return edges.map((each) => {
    if (!starts.has(each)) return each;
    const [from, to] = [placed.get(each.edge.from)!, placed.get(each.edge.to)!];
    const start = { x: from.x + from.width / 2, y: from.y + starts.get(each)! };
    const end = { x: to.x - to.width / 2, y: to.y + ends.get(each)! };
    return { ...each, points: [start, ...each.points.slice(1, -1), end] };
  });
}

/** How far above or below the middle of the node each edge meets it. */
function ports(
  edges: readonly PlacedEdge[],
  node: (edge: GraphEdge) => string,
  next: (edge: PlacedEdge) => Point,
  placed: ReadonlyMap<string, PlacedNode>,
): ReadonlyMap<PlacedEdge, number> {
  const sides = new Map<string, PlacedEdge[]>();
  for (const each of edges) {
    const id = node(each.edge);
    sides.set(id, [...(sides.get(id) ?? []), each]);
  }
  const offsets = new Map<PlacedEdge, number>();
  for (const [id, members] of sides) {
    const room = placed.get(id)!.height - FREE;
    const gap = Math.min(MAX_GAP, room / Math.max(1, members.length - 1));
    const inOrder = members.toSorted((a, b) => next(a).y - next(b).y);
    for (const [i, each] of inOrder.entries()) {
      offsets.set(each, (i - (members.length - 1) / 2) * gap);
    }
  }
  return offsets;
}
