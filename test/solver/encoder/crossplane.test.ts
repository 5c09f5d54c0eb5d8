import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

const releases = ['v2.1.0', 'v2.0.0', 'v1.20.0'];

test('the Crossplane release is a variable, decided first and on the most preferred', () => {
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

test('a constraint that every release meets says nothing', () => {
  const { told } = story({ 'a 1.0.0': 'crossplane >=v1.0.0' }, ['a *'], { releases });
  expect(told.at(-1)).toBe('{a ∉ 1.0.0}');
});

test('nor does one that the user chose to ignore', () => {
  const universe = { 'a 1.0.0': 'crossplane >=v3.0.0' };
  const { told } = story(universe, ['a *'], { releases, anyCrossplane: ['a'] });
  expect(told.at(-1)).toBe('{a ∉ 1.0.0}');
});

test('an older release is taken where no package fits the newer one', () => {
  const { decided, learned } = story({ 'a 1.0.0': 'crossplane <2.0.0' }, ['a *'], { releases });
  expect(learned).toEqual([]);
  expect(decided).toEqual(['crossplane = v1.20.0', 'a = 1.0.0']);
});

test('a package under development needs its release whatever is installed: {crossplane ∉ C}', () => {
  const { told, decided } = story({}, ['crossplane <2.1.0'], { releases });
  expect(told).toEqual(['{crossplane ∉ v1.20.0…v2.1.0}', '{crossplane ∉ v1.20.0, v2.0.0}']);
  expect(decided).toEqual(['crossplane = v2.0.0']);
});
