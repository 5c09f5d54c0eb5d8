import { expect, test } from 'vitest';
import { graphOfLockfile } from '../../../src/features/graph/build-graph.js';
import { locked, lockfileOf, needs } from '../../support/lockfiles.js';
import { sampleClashes, sampleLockfile } from './sample-graphs.js';

test('packages by repository, with short names and requirements', () => {
  const { nodes, edges, clashes } = graphOfLockfile(sampleLockfile());
  expect(nodes.map(({ name, kind, version, direct }) => [name, kind, version, direct])).toEqual([
    ['configuration-app', 'Configuration', 'v2.0.0', true],
    ['provider-bucket', 'Provider', 'v1.0.0', false],
    ['provider-family', 'Provider', 'v1.4.0', false],
    ['function-ready', 'Function', 'v0.5.1', false],
  ]);
  expect(edges.map(({ from, to, constraints }) => [from, to, ...constraints])).toEqual([
    ['h.io/acme/configuration-app', 'h.io/acme/provider-bucket', '>=v1.0.0'],
    ['h.io/acme/configuration-app', 'h.io/contrib/function-ready', '^v0.5.0'],
    ['h.io/acme/provider-bucket', 'h.io/acme/provider-family', '>=v1.0.0'],
  ]);
  expect(clashes).toEqual([]);
});

test('everything that a cluster would reject has a sentence', () => {
  const { clashes, edges } = sampleClashes();
  expect(clashes).toEqual([
    {
      clash: 'ownership',
      text: 'acme/provider-bucket and other/provider-bucket both own CRD buckets.acme.io, and only one package can',
      nodes: ['h.io/acme/provider-bucket', 'h.io/other/provider-bucket'],
    },
    {
      clash: 'versions',
      text: 'other/provider-bucket requires provider-family `>=v2.0.0`, and v1.4.0 is locked',
      nodes: ['h.io/other/provider-bucket', 'h.io/acme/provider-family'],
    },
  ]);
  expect(edges.filter(({ isUnmet }) => isUnmet).map(({ to }) => to)).toEqual([
    'h.io/acme/provider-family',
  ]);
});

test('a required package that is not locked is a node without a version', () => {
  const moved = sampleClashes().nodes.find(({ id }) => id === 'h.io/gone/provider-moved');
  expect(moved).toMatchObject({ kind: 'Provider', version: undefined, direct: false });
});

test('two packages with many common objects have one conflict', () => {
  const owns = ['a', 'b', 'c'].map((name) => ({ kind: 'CRD' as const, name: `${name}.x.io` }));
  const { clashes } = graphOfLockfile(
    lockfileOf([locked('h.io/a:v1', { owns }), locked('h.io/b:v1', { owns })]),
  );
  expect(clashes.map(({ text }) => text)).toEqual([
    'a and b both own CRD a.x.io and 2 more, and only one package can',
  ]);
});

test('a cycle, and a too old release', () => {
  const { clashes } = graphOfLockfile(
    lockfileOf(
      [
        locked('h.io/a:v1.0.0', { requirements: [needs('h.io/b *')], crossplane: '>=v2.0.0' }),
        locked('h.io/b:v1.0.0', { requirements: [needs('h.io/a *')] }),
      ],
      { crossplane: 'v1.20.0' },
    ),
  );
  expect(clashes.map(({ clash, text }) => [clash, text])).toEqual([
    ['crossplane', 'a needs Crossplane `>=v2.0.0`, and the lockfile is for v1.20.0'],
    ['cycle', 'a, b: a cycle of requirements'],
  ]);
});

test('a package with the required digest satisfies the requirement', () => {
  const child = locked('h.io/b:v1.0.0');
  const parent = locked('h.io/a:v1.0.0', { requirements: [needs(`h.io/b ${child.digest}`)] });
  expect(graphOfLockfile(lockfileOf([parent, child])).clashes).toEqual([]);
});
