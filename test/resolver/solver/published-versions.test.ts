import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

test('after the tags are listed, there are no other versions: {a = other}', () => {
  expect(story({ 'a 1.0.0': '' }, ['a *']).told[0]).toBe('{a = other}');
});

test('a version that Crossplane rejects is {a = 2.0.0}', () => {
  const { told, selected } = story({ 'a 1.0.0': '', 'a 2.0.0': 'rejected' }, ['a *']);
  expect(told.at(-1)).toBe('{a = 2.0.0}');
  expect(selected).toEqual(['a 1.0.0']);
});

test('a required version that does not exist is {a = v2.0.0}', () => {
  const { told, asked, status } = story({ 'a v1.0.0': '' }, ['a v2.0.0']);
  expect(asked).toEqual(['a v2.0.0', 'tags of a']);
  expect(told).toEqual(['{a ∉ v2.0.0}', '{a = v2.0.0}', '{a = other}', '{a = v2.0.0}']);
  expect(status).toBe('unsolvable');
});

test('a required version may be spelled differently in the tag list', () => {
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

test('an exclusion is added once for each version, and for a version that needs no list', () => {
  const exclude = { a: '^1.0.0' };
  const universe = { 'a v1.0.0': '', 'a v2.0.0': '', 'b 1.0.0': 'a *' };
  expect(story(universe, ['a v1.0.0'], { exclude }).told).toEqual(['{a = v1.0.0}', '{a ∉ v1.0.0}']);
  const { told } = story(universe, ['a *', 'a >=v1.0.0', 'b *'], { exclude });
  expect(told.filter((fact) => fact === '{a = v1.0.0}')).toHaveLength(1);
});

test('tags of equal precedence are one version, named by the greatest string', () => {
  const { told, selected } = story({ 'a 1.0.0': '', 'a v1.0.0': '' }, ['a *']);
  expect(told.at(-1)).toBe('{a ∉ v1.0.0}');
  expect(selected).toEqual(['a v1.0.0']);
});

test('incomplete tags are not versions if Crossplane skips them', () => {
  const universe = { 'a v1.0.0': '', 'a v2': '' };
  expect(story(universe, ['a *']).selected).toEqual(['a v2']);
  expect(story(universe, ['a *'], { skipsIncompleteTags: true }).selected).toEqual(['a v1.0.0']);
});

test('an incomplete tag that a root names satisfies ranges, even of earlier roots', () => {
  const universe = { 'a v1.0.0': '', 'a v2': '' };
  const { selected } = story(universe, ['a *', 'a tag:v2'], { skipsIncompleteTags: true });
  expect(selected).toEqual(['a v2']);
});
