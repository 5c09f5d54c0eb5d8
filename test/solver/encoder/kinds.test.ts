import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

test('a root wants b as a Function, and b 2.0.0 is none: {b = 2.0.0}', () => {
  const universe = { 'b 1.0.0': 'is Function', 'b 2.0.0': '' };
  const { told, selected } = story(universe, ['b * as Function']);
  expect(told.at(-1)).toBe('{b = 2.0.0}');
  expect(selected).toEqual(['b 1.0.0']);
});

test('a 1.0.0 wants b as a Function, and b 2.0.0 is none: {a = 1.0.0, b = 2.0.0}', () => {
  const universe = { 'a 1.0.0': 'b * as Function', 'b 1.0.0': 'is Function', 'b 2.0.0': '' };
  const { told, selected } = story(universe, ['a *']);
  expect(told.at(-1)).toBe('{a = 1.0.0, b = 2.0.0}');
  expect(selected).toEqual(['a 1.0.0', 'b 1.0.0']);
});

test('either side may be known first', () => {
  const universe = { 'a 1.0.0': '', 'a 2.0.0': 'b * as Function', 'b 1.0.0': '' };
  const { told, selected } = story(universe, ['b *', 'a *']);
  expect(told.at(-2)).toBe('{a = 2.0.0, b = 1.0.0}');
  expect(selected).toEqual(['b 1.0.0', 'a 1.0.0']);
});
