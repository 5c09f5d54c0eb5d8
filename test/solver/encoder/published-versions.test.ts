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

test('an exclusion is stated once for each version, and for one that needs no list too', () => {
  const exclude = { a: '^1.0.0' };
  const universe = { 'a v1.0.0': '', 'a v2.0.0': '', 'b 1.0.0': 'a *' };
  expect(story(universe, ['a v1.0.0'], { exclude }).told).toEqual(['{a = v1.0.0}', '{a ∉ v1.0.0}']);
  const { told } = story(universe, ['a *', 'a >=v1.0.0', 'b *'], { exclude });
  expect(told.filter((fact) => fact === '{a = v1.0.0}')).toHaveLength(1);
});

test('tags of equal precedence are one version: the greatest string stands for it', () => {
  const { told, selected } = story({ 'a 1.0.0': '', 'a v1.0.0': '' }, ['a *']);
  expect(told.at(-1)).toBe('{a ∉ v1.0.0}');
  expect(selected).toEqual(['a v1.0.0']);
});

test('where Crossplane skips incomplete tags, they are no versions', () => {
  const universe = { 'a v1.0.0': '', 'a v2': '' };
  expect(story(universe, ['a *']).selected).toEqual(['a v2']);
  expect(story(universe, ['a *'], { skipsIncompleteTags: true }).selected).toEqual(['a v1.0.0']);
});

test('but one that a root names satisfies ranges, those of earlier roots too', () => {
  const universe = { 'a v1.0.0': '', 'a v2': '' };
  const { selected } = story(universe, ['a *', 'a tag:v2'], { skipsIncompleteTags: true });
  expect(selected).toEqual(['a v2']);
});
