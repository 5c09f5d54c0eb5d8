import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

test('a version that every solution contains is read before the first decision', () => {
  const universe = {
    'a 1.0.0': '',
    'a 2.0.0': 'c ^2.0.0',
    'b 1.0.0': 'c ^1.0.0',
    'c 1.0.0': '',
    'c 2.0.0': '',
  };
  const { asked, steps, decided } = story(universe, ['a *', 'b *']);
  expect(asked.slice(0, 5)).toEqual(['tags of a', 'tags of b', 'b 1.0.0', 'tags of c', 'c 1.0.0']);
  expect(steps.filter((step) => step.startsWith('conflict'))).toEqual([]);
  expect(decided).toEqual(['a = 1.0.0', 'b = 1.0.0', 'c = 1.0.0']);
});

test('the requirements of forced packages are forced, too', () => {
  const universe = { 'a 1.0.0': 'b *', 'b 1.0.0': 'c *', 'c 1.0.0': 'd *', 'd 1.0.0': '' };
  const { asked, decided } = story(universe, ['a *']);
  expect(asked.filter((each) => !each.startsWith('tags'))).toEqual([
    'a 1.0.0',
    'b 1.0.0',
    'c 1.0.0',
    'd 1.0.0',
  ]);
  expect(decided.length).toBe(4);
});

test('configurations are read before providers, providers before functions', () => {
  const universe = {
    'f 1.0.0': 'is Function',
    'p 1.0.0': '',
    'c 1.0.0': 'is Configuration',
  };
  const roots = ['p * as Provider', 'f * as Function', 'c * as Configuration'];
  const { asked, announced } = story(universe, roots);
  expect(asked.slice(3)).toEqual(['c 1.0.0', 'p 1.0.0', 'f 1.0.0']);
  expect(announced.slice(1)).toEqual([['c 1.0.0'], ['p 1.0.0'], ['f 1.0.0']]);
});
