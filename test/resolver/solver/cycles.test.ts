import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

const universe = {
  'a 1.0.0': 'b *',
  'b 1.0.0': 'c *',
  'c 1.0.0': '',
  'c 2.0.0': 'a *',
};

test('a cycle is added when a decision would close it', () => {
  const { told, selected } = story(universe, ['a *']);
  expect(told.at(-1)).toBe('{c = 2.0.0, a = 1.0.0, b = 1.0.0}');
  expect(selected).toEqual(['a 1.0.0', 'b 1.0.0', 'c 1.0.0']);
});

test('no cycle is added if cycles are allowed', () => {
  const { told, selected } = story(universe, ['a *'], { allowCycles: true });
  expect(told.at(-1)).toBe('{c = 2.0.0, a ∉ 1.0.0}');
  expect(selected).toEqual(['a 1.0.0', 'b 1.0.0', 'c 2.0.0']);
});

test('a package that requires itself is a cycle of one: {a = 1.0.0}', () => {
  expect(story({ 'a 1.0.0': 'a *' }, ['a *']).told.at(-1)).toBe('{a = 1.0.0}');
});

test('if cycles are allowed, a package may require itself in a range that contains its version', () => {
  const itself = { 'a 1.0.0': 'a ^1.0.0', 'a 2.0.0': 'a ^1.0.0' };
  const { told, selected } = story(itself, ['a *'], { allowCycles: true });
  expect(told.at(-1)).toBe('{a = 2.0.0}');
  expect(selected).toEqual(['a 1.0.0']);
});
