import { expect, test } from 'vitest';
import { refusalStory } from '../../support/story/refusal-story.js';

test('names facts by repositories, versions and indexes of roots', () => {
  const universe = { 'a 1.0.0': 'b ^1.0.0', 'b 1.0.0': 'owns x', 'c 1.0.0': 'owns x' };
  expect(refusalStory(universe, ['a *', 'c *']).facts).toEqual([
    {
      fact: 'owns',
      one: { repository: 'b', versions: ['1.0.0'] },
      other: { repository: 'c', versions: ['1.0.0'] },
      objects: ['crd:x'],
      key: 'owns b c',
      isDebatable: true,
    },
    {
      fact: 'requires',
      by: { repository: 'a', versions: ['1.0.0'] },
      on: 'b',
      constraint: '^1.0.0',
      isVain: false,
      key: 'requires a b ^1.0.0',
      isDebatable: true,
    },
    { fact: 'root', by: { root: 0 }, on: 'a', isVain: false, key: 'root 0', isDebatable: true },
    { fact: 'root', by: { root: 1 }, on: 'c', isVain: false, key: 'root 1', isDebatable: true },
  ]);
});

test('marks facts that the user or a publisher can change', () => {
  const { facts } = refusalStory({ 'a 1.0.0': 'rejected' }, ['a *']);
  expect(facts.map(({ fact, isDebatable }) => [fact, isDebatable])).toEqual([
    ['rejected', false],
    ['root', true],
  ]);
});

test('marks a requirement that no version satisfies', () => {
  const { facts } = refusalStory({ 'a 1.0.0': '' }, ['a ^2.0.0']);
  expect(facts).toMatchObject([{ fact: 'root', isVain: true }]);
});
