import { expect, test } from 'vitest';
import { refusalStory } from '../../support/story/refusal-story.js';

/** Returns edges as `from -constraint-> to`, with `!` if the constraint is unmet. */
function edgesOf(universe: Readonly<Record<string, string>>, ...roots: string[]) {
  const { edges, clashes, nodes } = refusalStory(universe, roots).graph;
  return {
    nodes: nodes.map(({ id, versions }) => (versions === undefined ? id : `${id} ${versions}`)),
    edges: edges.map(({ from, to, constraint, isUnmet }) => {
      return `${from} -${constraint}-> ${to}${isUnmet ? ' !' : ''}`;
    }),
    clashes: clashes.map(({ clash, text, nodes: about }) => [clash, text, ...about]),
  };
}

test('draws requirements from the inputs to the package in conflict', () => {
  const universe = {
    'h.io/o/a 1.0.0': 'h.io/o/d 1.0.0',
    'h.io/o/c 1.0.0': 'h.io/o/d 2.0.0',
    'h.io/o/d 1.0.0': '',
    'h.io/o/d 2.0.0': '',
  };
  expect(edgesOf(universe, 'h.io/o/a 1.0.0', 'h.io/o/c 1.0.0')).toEqual({
    nodes: [
      'input xpkg.yaml:1',
      'input xpkg.yaml:2',
      'h.io/o/a 1.0.0',
      'h.io/o/c 1.0.0',
      'h.io/o/d',
    ],
    edges: [
      'input xpkg.yaml:1 -1.0.0-> h.io/o/a',
      'input xpkg.yaml:2 -1.0.0-> h.io/o/c',
      'h.io/o/a -1.0.0-> h.io/o/d !',
      'h.io/o/c -2.0.0-> h.io/o/d !',
    ],
    clashes: [['versions', 'no version of d is both `1.0.0` and `2.0.0`', 'h.io/o/d']],
  });
});

test('draws two owners of one object', () => {
  const { edges, clashes } = edgesOf(
    { 'a 1.0.0': 'owns things.x.io', 'b 1.0.0': 'owns things.x.io' },
    'a *',
    'b *',
  );
  expect(edges).toEqual(['input xpkg.yaml:1 -*-> a', 'input xpkg.yaml:2 -*-> b']);
  expect(clashes).toEqual([
    ['ownership', expect.stringContaining('both own'), 'a', 'b'] as unknown[],
  ]);
});

test.each([
  { why: 'no version matches', universe: { 'a 1.0.0': '' }, root: 'a 3.0.0', at: ['a'] },
  { why: 'there is no such package', universe: {}, root: 'a *', at: ['a'] },
  {
    why: 'of another kind',
    universe: { 'a 1.0.0': 'b * as Function', 'b 1.0.0': '' },
    root: 'a *',
    at: ['b'],
  },
  { why: 'a cycle', universe: { 'a 1.0.0': 'b *', 'b 1.0.0': 'a *' }, root: 'a *', at: ['a', 'b'] },
  { why: 'refused by the target', universe: { 'a 1.0.0': 'rejected' }, root: 'a *', at: ['a'] },
  {
    why: 'too old a Crossplane',
    universe: { 'a 1.0.0': 'crossplane >=v9.0.0' },
    root: 'a *',
    at: ['a', 'Crossplane'],
  },
  {
    why: 'an API that no package owns',
    universe: { 'a 1.0.0': 'crd things.x.io' },
    root: 'a *',
    at: ['API things.x.io'],
  },
])('a conflict names its nodes: $why', ({ universe, root, at }) => {
  const { clashes, nodes } = refusalStory(universe, [root]).graph;
  expect(clashes.map((clash) => [...clash.nodes].sort())).toEqual([[...at].sort()]);
  expect(clashes[0]!.text).not.toBe('');
  expect(nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(at));
});
