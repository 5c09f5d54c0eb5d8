import { expect, test } from 'vitest';
import { graphOfDiff } from '../../../src/features/graph/build-graph.js';
import { lockfileOf } from '../../support/lockfiles.js';
import { sampleDiff, sampleLockfile } from './sample-graphs.js';

test('packages: added, removed, moved and unchanged', () => {
  const nodes = sampleDiff().nodes.map(({ name, change, version, versionBefore }) => {
    return [name, change, versionBefore, version];
  });
  expect(nodes).toEqual([
    ['configuration-app', undefined, undefined, 'v2.0.0'],
    ['provider-account', 'added', undefined, 'v0.1.0'],
    ['provider-bucket', 'moved', 'v1.0.0', 'v1.1.0'],
    ['provider-family', undefined, undefined, 'v1.4.0'],
    ['function-ready', 'removed', undefined, 'v0.5.1'],
  ]);
});

test('requirements: added, removed and unchanged', () => {
  const edges = sampleDiff().edges.map(({ from, to, change, constraints, constraintsBefore }) => {
    const ends = [from, to].map((id) => id.split('-').at(-1));
    return [...ends, change, constraintsBefore?.join(), constraints.join()];
  });
  expect(edges).toEqual([
    ['app', 'bucket', 'moved', '>=v1.0.0', '>=v1.1.0'],
    ['app', 'ready', 'removed', undefined, '^v0.5.0'],
    ['bucket', 'family', undefined, undefined, '>=v1.0.0'],
  ]);
});

test('both owners of a moved object name each other', () => {
  const objects = sampleDiff().nodes.flatMap(({ name, owns }) =>
    owns.flatMap(({ change, other }) => (change === undefined ? [] : [[name, change, other]])),
  );
  expect(objects).toEqual([
    ['provider-account', 'added', 'h.io/acme/provider-family'],
    ['provider-family', 'removed', 'h.io/acme/provider-account'],
  ]);
});

test('a tag with other bytes is a move; a new release is in the title', () => {
  const before = sampleLockfile();
  const [app, ...rest] = before.packages;
  const digest = before.packages[1]!.digest;
  const after = lockfileOf([{ ...app!, digest }, ...rest], { crossplane: 'v2.4.0' });
  const graph = graphOfDiff(before, after);
  expect(graph.nodes[0]).toMatchObject({
    change: 'moved',
    version: 'v2.0.0',
    versionBefore: `v2.0.0 at ${app!.digest}`,
  });
  expect(graph).toMatchObject({ crossplane: 'v2.4.0', crossplaneBefore: 'v2.3.4' });
});

test('equal lockfiles have no changes', () => {
  const { nodes, edges } = graphOfDiff(sampleLockfile(), sampleLockfile());
  expect([...nodes, ...edges].filter(({ change }) => change !== undefined)).toEqual([]);
});
