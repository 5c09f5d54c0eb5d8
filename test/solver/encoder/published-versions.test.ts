import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

test('once a list has come, nothing else is published: {a = other}', () => {
  expect(story({ 'a 1.0.0': '' }, ['a *']).told[0]).toBe('{a = other}');
});

test('a version that the target refuses is {a = 2.0.0}', () => {
  const { told, selected } = story({ 'a 1.0.0': '', 'a 2.0.0': 'rejected' }, ['a *']);
  expect(told.at(-1)).toBe('{a = 2.0.0}');
  expect(selected).toEqual(['a 1.0.0']);
});

test('a version that is named and does not exist is {a = v2.0.0}', () => {
  const { told, asked, status } = story({ 'a v1.0.0': '' }, ['a v2.0.0']);
  expect(asked).toEqual(['a v2.0.0', 'tags of a']);
  expect(told).toEqual(['{a ∉ v2.0.0}', '{a = v2.0.0}', '{a = other}', '{a = v2.0.0}']);
  expect(status).toBe('unsolvable');
});

test('a tag that is spelled otherwise in the list is the version that was named', () => {
  const { asked, selected } = story({ 'a 1.0.0': '' }, ['a v1.0.0']);
  expect(asked).toEqual(['a v1.0.0', 'tags of a', 'a 1.0.0']);
  expect(selected).toEqual(['a 1.0.0']);
});

test('excluded versions are {a ∈ S}', () => {
  const universe = { 'a 1.0.0': '', 'a 2.0.0': '', 'a 2.1.0': '' };
  const { told, selected } = story(universe, ['a *'], { exclude: { a: '^2.0.0' } });
  expect(told).toContain('{a ∈ 2.0.0, 2.1.0}');
  expect(selected).toEqual(['a 1.0.0']);
});
