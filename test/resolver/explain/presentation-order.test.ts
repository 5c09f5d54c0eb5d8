import { expect, test } from 'vitest';
import { refusalStory } from '../../support/story/refusal-story.js';

test('orders requirements of the user, their consequences and the conflict', () => {
  const universe = {
    'z 1.0.0': 'm *',
    'm 1.0.0': 'a *',
    'a 1.0.0': 'owns things; crossplane >=v1.0.0',
    'b 1.0.0': 'owns things',
  };
  expect(refusalStory(universe, ['b *', 'z *']).clauses).toEqual([
    'xpkg.yaml:1 asks for b `*`',
    'xpkg.yaml:2 asks for z `*`',
    'z 1.0.0 requires m `*`',
    'm 1.0.0 requires a `*`',
    'a 1.0.0 and b 1.0.0 would both own CRD things',
  ]);
});

test('merges a fact about several versions', () => {
  const universe = {
    'a 1.0.0': 'b ^2.0.0',
    'a 1.1.0': 'b ^2.0.0',
    'a 1.2.0': 'b ^2.0.0',
    'b 1.0.0': '',
    'b 2.0.0': 'rejected',
  };
  expect(refusalStory(universe, ['a *']).clauses).toEqual([
    'xpkg.yaml:1 asks for a `*`',
    'every version of a requires b `^2.0.0`',
    'Crossplane would refuse b 2.0.0 (refused)',
  ]);
});

test('orders the owners of a pair by name, and merges pairs with one side in common', () => {
  const universe = {
    'b 1.0.0': 'owns things',
    'a 1.0.0': 'owns things',
    'a 2.0.0': 'owns things',
  };
  expect(refusalStory(universe, ['b *', 'a *']).clauses.at(-1)).toBe(
    'every version of a and b 1.0.0 would both own CRD things',
  );
});

test('returns the path from the input to each fact', () => {
  const universe = { 'a 1.0.0': 'b *', 'b 1.0.0': 'c ^2.0.0', 'c 1.0.0': '' };
  const { core } = refusalStory(universe, ['a *']);
  expect(core.map(({ path }) => path)).toEqual([
    ['xpkg.yaml:1'],
    ['xpkg.yaml:1', 'a 1.0.0'],
    ['xpkg.yaml:1', 'a 1.0.0', 'b 1.0.0'],
  ]);
});
