import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

const universe = {
  'a 1.0.0': '',
  'a 1.1.0': 'b ^1.0.0',
  'a 1.2.0': 'b ^1.0.0',
  'b 1.0.0': '',
  'c 1.0.0': 'b ^2.0.0',
  'b 2.0.0': '',
};

test('versions with the same fact share one incompatibility, which grows', () => {
  const { told, replaced, selected } = story(universe, ['c *', 'a *']);
  expect(told.filter((fact) => fact.startsWith('{a'))).toEqual([
    '{a = other}',
    '{a ∉ 1.0.0…1.2.0}',
    '{a = 1.2.0, b ∉ 1.0.0}',
    '{a ∈ 1.1.0, 1.2.0, b ∉ 1.0.0}',
  ]);
  expect(replaced).toEqual(['{a = 1.2.0, b ∉ 1.0.0}']);
  expect(selected).toEqual(['c 1.0.0', 'a 1.0.0', 'b 2.0.0']);
});

test('no version is read to make a fact grow', () => {
  const { told, asked } = story(universe, ['a *']);
  expect(told.at(-1)).toBe('{a = 1.2.0, b ∉ 1.0.0}');
  expect(asked).not.toContain('a 1.1.0');
});

test('a removable fact that `only` omits is not added', () => {
  const only = new Set(['root 0', 'requires a b ^1.0.0']);
  const { told, selected } = story(universe, ['a *', 'c *'], { only });
  expect(told).not.toContain('{c ∉ 1.0.0}');
  expect(selected).toEqual(['a 1.2.0', 'b 1.0.0']);
});
