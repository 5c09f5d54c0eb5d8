import { expect, test } from 'vitest';
import { graphOfLockfile } from '../../../src/features/graph/build-graph.js';
import { layOut, type PlacedNode } from '../../../src/features/graph/layout.js';
import { locked, lockfileOf, needs } from '../../support/lockfiles.js';
import { largeLockfile, sampleClashes, sampleLockfile } from './sample-graphs.js';

function overlapping(nodes: readonly PlacedNode[]): string[] {
  return nodes.flatMap((a, i) =>
    nodes
      .slice(i + 1)
      .filter(
        (b) =>
          Math.abs(a.x - b.x) < (a.width + b.width) / 2 &&
          Math.abs(a.y - b.y) < (a.height + b.height) / 2,
      )
      .map((b) => `${a.node.id} ${b.node.id}`),
  );
}

const GRAPHS = {
  small: graphOfLockfile(sampleLockfile()),
  clashing: sampleClashes(),
  large: graphOfLockfile(largeLockfile()),
  'without edges': graphOfLockfile(
    lockfileOf(Array.from({ length: 60 }, (_, i) => locked(`h.io/p${i}:v1.0.0`))),
  ),
  empty: graphOfLockfile(lockfileOf([])),
};

test.each(Object.entries(GRAPHS))('%s: nothing overlaps or is out of the picture', (_, graph) => {
  const { nodes, edges, width, height } = layOut(graph);
  expect(overlapping(nodes)).toEqual([]);
  const points = [...nodes, ...edges.flatMap((edge) => edge.points)];
  const outside = points.filter(({ x, y }) => !(x >= 0 && x <= width && y >= 0 && y <= height));
  expect(outside).toEqual([]);
});

test('required packages are right of their requirers', () => {
  const { nodes, edges } = layOut(GRAPHS.large);
  const x = new Map(nodes.map(({ node, x: at }) => [node.id, at]));
  const back = edges.filter(({ edge }) => x.get(edge.from)! >= x.get(edge.to)!);
  expect(back).toEqual([]);
});

test('a large graph has limited height, and shows constraints on demand', () => {
  const { height, isDense } = layOut(GRAPHS.large);
  expect(isDense).toBe(true);
  expect(height).toBeLessThan(2000);
  expect(layOut(GRAPHS.small).isDense).toBe(false);
});

test('a cycle is laid out, too', () => {
  const { edges } = layOut(
    graphOfLockfile(
      lockfileOf([
        locked('h.io/a:v1.0.0', { requirements: [needs('h.io/b *')] }),
        locked('h.io/b:v1.0.0', { requirements: [needs('h.io/a *'), needs('h.io/b *')] }),
      ]),
    ),
  );
  expect(edges.every(({ points }) => points.every(({ x, y }) => Number.isFinite(x + y)))).toBe(
    true,
  );
});
