import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

test('a root that requires a in S is {a ∉ S}', () => {
  const { told, selected } = story({ 'a 1.0.0': '', 'a 1.1.0': '', 'a 2.0.0': '' }, ['a ^1.0.0']);
  expect(told).toEqual(['{a = other}', '{a ∉ 1.0.0, 1.1.0}']);
  expect(selected).toEqual(['a 1.1.0']);
});

test('a root that matches no version is {}: a term that always holds is dropped', () => {
  const { told, learned } = story({ 'a 1.0.0': '' }, ['a ^3.0.0']);
  expect(told).toEqual(['{a = other}', '{}']);
  expect(learned).toEqual(['{}']);
});

test('a replaced repository is requested by its new name', () => {
  const { asked, selected } = story({ 'b 1.0.0': '' }, ['a *'], { replace: { a: 'b' } });
  expect(asked).toEqual(['tags of b', 'b 1.0.0']);
  expect(selected).toEqual(['b 1.0.0']);
});

test('an override applies to every requirement of the package', () => {
  const universe = { 'a 1.0.0': 'b ^1.0.0', 'b 1.0.0': '', 'b 2.0.0': '' };
  const { told, selected } = story(universe, ['a *'], { overrides: { b: '^2.0.0' } });
  expect(told.at(-1)).toBe('{a = 1.0.0, b ∉ 2.0.0}');
  expect(selected).toEqual(['a 1.0.0', 'b 2.0.0']);
});
