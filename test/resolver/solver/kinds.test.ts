import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

test('a root requires b as a Function, and b 2.0.0 is a Provider: {b = 2.0.0}', () => {
  const universe = { 'b 1.0.0': 'is Function', 'b 2.0.0': '' };
  const { told, selected } = story(universe, ['b * as Function']);
  expect(told.at(-1)).toBe('{b = 2.0.0}');
  expect(selected).toEqual(['b 1.0.0']);
});

test('a 1.0.0 requires b as a Function, and b 2.0.0 is a Provider: {a = 1.0.0, b = 2.0.0}', () => {
  const universe = { 'a 1.0.0': 'b * as Function', 'b 1.0.0': 'is Function', 'b 2.0.0': '' };
  const { told, selected } = story(universe, ['a *']);
  expect(told.at(-1)).toBe('{a = 1.0.0, b = 2.0.0}');
  expect(selected).toEqual(['a 1.0.0', 'b 1.0.0']);
});

test('the kind may be known before or after the requirement', () => {
  const universe = { 'a 1.0.0': '', 'a 2.0.0': 'b * as Function', 'b 1.0.0': '' };
  const { told, selected } = story(universe, ['b *', 'a *']);
  expect(told.at(-2)).toBe('{a = 2.0.0, b = 1.0.0}');
  expect(selected).toEqual(['b 1.0.0', 'a 1.0.0']);
});
