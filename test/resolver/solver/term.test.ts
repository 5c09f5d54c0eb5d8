import { expect, test } from 'vitest';
import { ABSENT, FIRST, OTHER } from '../../../src/resolver/solver/incompatibility.js';
import { VersionSet } from '../../../src/resolver/solver/version-set.js';
import { story } from '../../support/story/story.js';

const [V1, V2, LATER] = [FIRST, FIRST + 1, FIRST + 2] as const;

test('absence is a value, so "not 1.0.0" holds for a package that is not installed', () => {
  const not = VersionSet.single(V1).complement();
  expect([ABSENT, OTHER, V1, V2].filter((value) => not.has(value))).toEqual([ABSENT, OTHER, V2]);
});

test('a version discovered later is in every complement of other versions', () => {
  const [some, others] = [VersionSet.of([V1, V2]), VersionSet.of([V1, V2]).complement()];
  expect([some.has(LATER), others.has(LATER)]).toEqual([false, true]);
});

test('a requirement forbids absence and leaves the versions that it admits', () => {
  const { steps } = story({ 'a 1.0.0': '', 'a 2.0.0': '' }, ['a ^1.0.0']);
  expect(steps[0]).toBe('so a = 1.0.0, by {a ∉ 1.0.0}');
});

test('a version written in full is a value before the tags are listed', () => {
  const { asked, told } = story({ 'a v1.0.0': '', 'a v2.0.0': '' }, ['a v1.0.0']);
  expect(asked).toEqual(['a v1.0.0']);
  expect(told).toEqual(['{a ∉ v1.0.0}']);
});
