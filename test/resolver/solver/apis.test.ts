import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

const universe = {
  'a 1.0.0': 'crd things',
  'maker 1.0.0': 'owns things',
  'maker 2.0.0': '',
  'other 1.0.0': 'owns things',
};

test('the owner of a required CRD is a variable whose values are packages', () => {
  const { told, asked } = story(universe, ['a *']);
  expect(asked).toEqual([
    'tags of a',
    'a 1.0.0',
    'owners of things',
    'tags of maker',
    'tags of other',
    'maker 1.0.0',
  ]);
  expect(told.slice(-4)).toEqual([
    '{owner of things ∉ absent, maker, other}',
    '{owner of things = maker, maker ∈ absent, other, 2.0.0}',
    '{owner of things = other, other ∈ absent, other}',
    '{a = 1.0.0, owner of things = absent}',
  ]);
});

test('the first owner by name is selected, in a version that owns the CRD', () => {
  const { decided } = story(universe, ['a *']);
  expect(decided).toEqual(['a = 1.0.0', 'owner of things = maker', 'maker = 1.0.0']);
});

test('a package that is already selected is preferred as owner', () => {
  const { decided } = story(universe, ['other *', 'a *']);
  expect(decided).toEqual(['other = 1.0.0', 'a = 1.0.0', 'owner of things = other']);
});

test('a locked package is preferred as owner', () => {
  const { decided } = story(universe, ['a *'], { locked: { other: '1.0.0' } });
  expect(decided.slice(1)).toEqual(['owner of things = other', 'other = 1.0.0']);
});

test('a required CRD that no package owns is unsolvable', () => {
  const { told, status } = story({}, ['crd things']);
  expect(told).toEqual(['{owner of things ∉ absent}', '{owner of things = absent}']);
  expect(status).toBe('unsolvable');
});

test('an owner without usable versions is excluded, and the next owner is selected', () => {
  const { told, selected } = story({ ...universe, 'maker 1.0.0': 'owns things; rejected' }, [
    'a *',
  ]);
  expect(told.slice(-2)).toEqual([
    '{maker = 1.0.0}',
    '{owner of things = maker, maker ∉ 1.0.0, 2.0.0}',
  ]);
  expect(selected).toEqual(['a 1.0.0', 'other 1.0.0']);
});

test('a digest, which the list of owners cannot contain, is checked after it has been read', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const { told, selected } = story({ ...universe, [`maker ${digest}`]: '' }, [
    'crd things',
    `maker ${digest}`,
  ]);
  expect(told.at(-1)).toBe(`{owner of things = maker, maker = ${digest}}`);
  expect(selected).toEqual([`maker ${digest}`, 'other 1.0.0']);
});
