import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

const releases = ['v2.1.0', 'v2.0.0', 'v1.20.0'];

test('the Crossplane release is a variable, decided first on the most preferred release', () => {
  const { told, decided } = story({ 'a 1.0.0': '' }, ['a *'], { releases });
  expect(told[0]).toBe('{crossplane ∉ v1.20.0…v2.1.0}');
  expect(decided).toEqual(['crossplane = v2.1.0', 'a = 1.0.0']);
});

test('a 2.0.0 needs Crossplane in C: {a = 2.0.0, crossplane ∉ C}', () => {
  const universe = { 'a 1.0.0': '', 'a 2.0.0': 'crossplane <2.0.0' };
  const { told, selected } = story(universe, ['a *'], { releases });
  expect(told.at(-1)).toBe('{a = 2.0.0, crossplane ∉ v1.20.0}');
  expect(selected).toEqual(['a 1.0.0']);
});

test('a Crossplane constraint that admits every release adds no fact', () => {
  const { told } = story({ 'a 1.0.0': 'crossplane >=v1.0.0' }, ['a *'], { releases });
  expect(told.at(-1)).toBe('{a ∉ 1.0.0}');
});

test('an ignored Crossplane constraint adds no fact', () => {
  const universe = { 'a 1.0.0': 'crossplane >=v3.0.0' };
  const { told } = story(universe, ['a *'], { releases, anyCrossplane: ['a'] });
  expect(told.at(-1)).toBe('{a ∉ 1.0.0}');
});

test('an older release is selected if no package supports the newer one', () => {
  const { decided, learned } = story({ 'a 1.0.0': 'crossplane <2.0.0' }, ['a *'], { releases });
  expect(learned).toEqual([]);
  expect(decided).toEqual(['crossplane = v1.20.0', 'a = 1.0.0']);
});

test('the Crossplane constraint of a local package applies in any case: {crossplane ∉ C}', () => {
  const { told, decided } = story({}, ['crossplane <2.1.0'], { releases });
  expect(told).toEqual(['{crossplane ∉ v1.20.0…v2.1.0}', '{crossplane ∉ v1.20.0, v2.0.0}']);
  expect(decided).toEqual(['crossplane = v2.0.0']);
});
