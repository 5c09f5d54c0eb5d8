import { edgeText } from './node-text.js';
import type { GraphEdge } from './package-graph.js';
import type { GraphLayout, PlacedEdge, PlacedNode } from './layout.js';
import { atPorts } from './ports.js';

const MARGIN = 16;
const NODE_GAP = 14;
/** Between two columns; between two parts of one column edges only pass through. */
const COLUMN_GAP = 130;
const PART_GAP = 36;

/**
 * A layout of much, closer together: its columns keep their order, the nodes of each stand next to
 * one another, and a long column becomes several. Edges run straight, behind what is in their way.
 */
export function stacked(
  placed: readonly PlacedNode[],
  edges: readonly GraphEdge[],
  maxColumn: number,
): GraphLayout {
  const nodes: PlacedNode[] = [];
  let left = MARGIN;
  let right = MARGIN;
  for (const part of columnParts(placed, maxColumn)) {
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
    edges: atPorts(lines, moved),
  };
}

interface ColumnPart {
  readonly isFirst: boolean;
  /** From top to bottom. */
  readonly members: readonly PlacedNode[];
}

function columnParts(placed: readonly PlacedNode[], maxColumn: number): ColumnPart[] {
  const columns = new Map<number, PlacedNode[]>();
  for (const each of placed) columns.set(each.x, [...(columns.get(each.x) ?? []), each]);
  return [...columns]
    .sort(([a], [b]) => a - b)
    .flatMap(([, members]) => {
      const inOrder = members.toSorted((a, b) => a.y - b.y);
      const length = Math.ceil(members.length / Math.ceil(members.length / maxColumn));
      return Array.from({ length: Math.ceil(members.length / length) }, (_, i) => ({
        isFirst: i === 0,
        members: inOrder.slice(i * length, (i + 1) * length),
      }));
    });
}
