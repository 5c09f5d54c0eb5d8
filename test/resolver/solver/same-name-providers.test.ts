import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

/** An old and a new platform that require the same provider from different repositories. */
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

test('required providers with the same name are read before other requirements', () => {
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

test('providers with the same name are prefetched together', () => {
  const { announced } = story(PLATFORMS, ['old *', 'new *']);
  expect(announced).toContainEqual([
    'old-world/provider-helm 1.0.0',
    'new-world/provider-helm 2.1.0',
  ]);
});

test('if one of them has many versions left, forced packages are read first', () => {
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

test('if each has several versions left, none is read early', () => {
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

test('a decision that leaves one version of a provider makes its same-name provider be read first', () => {
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

test('functions with the same name are not read early, because functions own nothing', () => {
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
