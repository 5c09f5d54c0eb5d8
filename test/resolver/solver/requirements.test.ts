import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

test('a 1.0.0 requires b in S: {a = 1.0.0, b ∉ S}', () => {
  const universe = { 'a 1.0.0': 'b ^1.0.0', 'b 1.0.0': '', 'b 1.1.0': '', 'b 2.0.0': '' };
  const { told, selected } = story(universe, ['a *']);
  expect(told.at(-1)).toBe('{a = 1.0.0, b ∉ 1.0.0, 1.1.0}');
  expect(selected).toEqual(['a 1.0.0', 'b 1.1.0']);
});

test('a requirement that matches no version excludes the version that has it', () => {
  const universe = { 'a 1.0.0': '', 'a 2.0.0': 'b ^9.0.0', 'b 1.0.0': '' };
  const { told, selected } = story(universe, ['a *']);
  expect(told).toContain('{a = 2.0.0}');
  expect(selected).toEqual(['a 1.0.0']);
});

test('requirements after one that excludes the version are not requested', () => {
  const universe = { 'a 1.0.0': '', 'a 2.0.0': 'b ^9.0.0; c *', 'b 1.0.0': '', 'c 1.0.0': '' };
  expect(story(universe, ['a *']).asked).toEqual(['tags of a', 'a 2.0.0', 'tags of b', 'a 1.0.0']);
});

test('no version of a package is read before the package is decided', () => {
  const universe = { 'a 1.0.0': 'b *', 'b 1.0.0': '', 'b 2.0.0': 'c *', 'c 1.0.0': '' };
  const { asked } = story(universe, ['a *']);
  expect(asked).toEqual(['tags of a', 'a 1.0.0', 'tags of b', 'b 2.0.0', 'tags of c', 'c 1.0.0']);
});
