import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

/** A platform of old packages and one of new ones, which bring one provider from two repositories. */
const PLATFORMS = {
  'old 1.0.0':
    'is Configuration; new-world/network * as Configuration; old-world/provider-helm 1.0.0',
  'new 1.0.0':
    'is Configuration; new-world/cluster * as Configuration; new-world/provider-helm >=2.0.0',
  'new-world/network 1.0.0': 'is Configuration',
  'new-world/cluster 1.0.0': 'is Configuration',
  'old-world/provider-helm 1.0.0': 'owns releases',
  'new-world/provider-helm 1.0.0': 'owns releases',
  'new-world/provider-helm 2.0.0': 'owns releases',
  'new-world/provider-helm 2.1.0': 'owns releases',
};

const versions = (asked: readonly string[]) => asked.filter((each) => !each.startsWith('tags'));

test('providers of one name that are both needed are read before what else is required', () => {
  const { asked, status } = story(PLATFORMS, ['old *', 'new *']);
  expect(status).toBe('unsolvable');
  expect(versions(asked)).toEqual([
    'new 1.0.0',
    'old 1.0.0',
    'old-world/provider-helm 1.0.0',
    'new-world/provider-helm 2.1.0',
    'new-world/provider-helm 2.0.0',
  ]);
});

test('they are announced together, as they will be read one after the other', () => {
  const { announced } = story(PLATFORMS, ['old *', 'new *']);
  expect(announced).toContainEqual([
    'old-world/provider-helm 1.0.0',
    'new-world/provider-helm 2.1.0',
  ]);
});

test('where one of them has many versions left, what every answer contains is read first', () => {
  const universe = {
    ...PLATFORMS,
    'new-world/provider-helm 2.2.0': 'owns releases',
    'new-world/provider-helm 2.3.0': 'owns releases',
    'new-world/provider-helm 2.4.0': 'owns releases',
  };
  const read = versions(story(universe, ['old *', 'new *']).asked);
  expect(read.slice(2, 4).toSorted()).toEqual([
    'new-world/cluster 1.0.0',
    'new-world/network 1.0.0',
  ]);
  expect(read.at(-1)).toBe('new-world/provider-helm 2.0.0');
});

test('where each has several versions left, none is read for the sake of the other', () => {
  const universe = {
    'a/provider-helm 1.0.0': '',
    'a/provider-helm 2.0.0': 'owns releases; b/provider-helm ^1.0.0',
    'b/provider-helm 1.0.0': '',
    'b/provider-helm 2.0.0': 'owns releases',
    'b/provider-helm 3.0.0': 'owns releases',
  };
  const { asked, selected } = story(universe, ['a/provider-helm *', 'b/provider-helm *']);
  expect(versions(asked)).toEqual(['a/provider-helm 2.0.0', 'b/provider-helm 1.0.0']);
  expect(selected).toEqual(['a/provider-helm 2.0.0', 'b/provider-helm 1.0.0']);
});

test('after a decision too, the namesake of what it leaves one version of is read first', () => {
  const universe = {
    'app 1.0.0':
      'is Configuration; new-world/cluster * as Configuration; new-world/provider-helm *',
    'app 2.0.0':
      'is Configuration; new-world/cluster * as Configuration; old-world/provider-helm 1.0.0',
    'new-world/cluster 1.0.0': 'is Configuration',
    'new-world/cluster 1.1.0': 'is Configuration',
    'new-world/provider-helm 1.0.0': 'owns releases',
    'new-world/provider-helm 2.0.0': 'owns releases',
    'old-world/provider-helm 1.0.0': 'owns releases',
  };
  const { asked, selected } = story(universe, ['app *', 'new-world/provider-helm *']);
  expect(versions(asked)).toEqual([
    'app 2.0.0',
    'old-world/provider-helm 1.0.0',
    'new-world/provider-helm 2.0.0',
    'new-world/provider-helm 1.0.0',
    'app 1.0.0',
    'new-world/cluster 1.1.0',
  ]);
  expect(selected).toEqual([
    'app 1.0.0',
    'new-world/provider-helm 2.0.0',
    'new-world/cluster 1.1.0',
  ]);
});

test('functions own nothing, so that two of one name are no reason to hurry', () => {
  const universe = {
    'platform 1.0.0':
      'is Configuration; a/function-ready 1.0.0 as Function; cluster * as Configuration',
    'cluster 1.0.0': 'is Configuration; b/function-ready * as Function',
    'a/function-ready 1.0.0': 'is Function',
    'b/function-ready 1.0.0': 'is Function',
    'b/function-ready 1.1.0': 'is Function',
  };
  const { asked, selected } = story(universe, ['platform *', 'b/function-ready * as Function']);
  expect(versions(asked).slice(0, 2)).toEqual(['platform 1.0.0', 'cluster 1.0.0']);
  expect(selected).toContain('b/function-ready 1.1.0');
});
