import { describe, expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

/** Level 1 is the Crossplane release, which stories omit. Level 2 is the first root. */
describe('platform, cluster and network', () => {
  const { steps, learned, selected, asked } = story(
    {
      'platform 1.2.0': 'network >=1.1.0',
      'platform 2.0.0': 'network >=2.0.0',
      'cluster 0.5.0': 'network >=1.0.0, <2.0.0',
      'cluster 0.5.1': 'network >=1.1.0, <2.0.0',
      'network 1.0.0': '',
      'network 1.1.0': '',
      'network 1.2.0': '',
      'network 2.0.0': '',
    },
    ['platform *', 'cluster *'],
  );

  test('the newest platform excludes every version of cluster', () => {
    expect(steps.slice(2, 6)).toEqual([
      'decide platform = 2.0.0',
      'so network = 2.0.0, by {platform = 2.0.0, network ∉ 2.0.0}',
      'so cluster = 0.5.0, by {cluster = 0.5.1, network ∉ 1.1.0, 1.2.0}',
      'conflict {cluster = 0.5.0, network ∉ 1.0.0…1.2.0}',
    ]);
  });

  test('{x ∈ T, …rest} and the cause {x ∈ U, …others} give {x ∈ T ∪ U, …others, …rest}', () => {
    expect(learned).toEqual(['{cluster ∈ 0.5.0, 0.5.1, network ∉ 1.0.0…1.2.0}']);
  });

  test('a root requires cluster, so the learned clause applies at level 0 and excludes platform 2.0.0', () => {
    expect(steps.slice(7)).toEqual([
      'back from level 2 to 0',
      'so network ∈ 1.0.0…1.2.0, by {cluster ∈ 0.5.0, 0.5.1, network ∉ 1.0.0…1.2.0}',
      'so platform = 1.2.0, by {platform = 2.0.0, network ∉ 2.0.0}',
      'so network ∈ 1.1.0, 1.2.0, by {platform = 1.2.0, network ∉ 1.1.0…2.0.0}',
      'decide platform = 1.2.0',
      'decide cluster = 0.5.1',
      'decide network = 1.2.0',
    ]);
    expect(selected).toEqual(['platform 1.2.0', 'cluster 0.5.1', 'network 1.2.0']);
  });

  test('network 2.0.0 is never read, because no remaining set contains it', () => {
    expect(asked).not.toContain('network 2.0.0');
  });
});

test('the learned clause contains only the terms that the causes imply', () => {
  const universe = {
    'a 1.0.0': '',
    'a 2.0.0': 'b *; c ^1.0.0',
    'b 1.0.0': 'c ^2.0.0',
    'b 1.1.0': 'c ^2.0.0',
    'c 1.0.0': '',
    'c 2.0.0': '',
  };
  const { steps } = story(universe, ['a *']);
  expect(steps.slice(1, 8)).toEqual([
    'decide a = 2.0.0',
    'so c = 1.0.0, by {a = 2.0.0, c ∉ 1.0.0}',
    'so b ∈ 1.0.0, 1.1.0, by {a = 2.0.0, b ∉ 1.0.0, 1.1.0}',
    'so b = 1.0.0, by {b = 1.1.0, c ∉ 2.0.0}',
    'conflict {b ∈ 1.0.0, 1.1.0, c ∉ 2.0.0}',
    'learn {a = 2.0.0}',
    'back from level 2 to 0',
  ]);
});

test('a backjump skips decisions that do not contribute to the conflict', () => {
  const universe = {
    'a 1.0.0': '',
    'a 2.0.0': 'shared ^2.0.0',
    'x 1.0.0': '',
    'x 2.0.0': '',
    'y 1.0.0': '',
    'y 2.0.0': '',
    'b 1.0.0': 'shared ^1.0.0',
    'b 1.1.0': 'shared ^1.0.0',
    'shared 1.0.0': '',
    'shared 2.0.0': '',
  };
  const { steps, decided } = story(universe, ['a *', 'x *', 'y *', 'b *']);
  expect(decided.slice(0, 3)).toEqual(['a = 2.0.0', 'x = 2.0.0', 'y = 2.0.0']);
  expect(steps.filter((step) => step.startsWith('back'))).toEqual(['back from level 4 to 0']);
  expect(decided).not.toContain('x = 1.0.0');
  expect(decided).not.toContain('y = 1.0.0');
});

test('a learned clause stays: the search skips the version that it forbids', () => {
  const universe = {
    'a 1.0.0': '',
    'a 2.0.0': 'owns things',
    'b 1.0.0': 'c ^1.0.0',
    'b 2.0.0': 'c ^2.0.0',
    'c 1.0.0': 'owns things',
    'c 2.0.0': 'owns things',
  };
  const { learned, decided } = story(universe, ['a *', 'b *']);
  expect(learned).toEqual([
    '{c = 2.0.0, a = 2.0.0}',
    '{c ∈ 1.0.0, 2.0.0, a = 2.0.0}',
    '{b ∈ 1.0.0, 2.0.0, a = 2.0.0}',
  ]);
  expect(decided).toEqual([
    'a = 2.0.0',
    'b = 2.0.0',
    'b = 1.0.0',
    'a = 1.0.0',
    'b = 2.0.0',
    'c = 2.0.0',
  ]);
});

test('a learned clause without terms proves that there is no solution', () => {
  const universe = { 'a 1.0.0': 'c ^1.0.0', 'b 1.0.0': 'c ^2.0.0', 'c 1.0.0': '', 'c 2.0.0': '' };
  const { steps, status, proof } = story(universe, ['a *', 'b *']);
  expect(steps.slice(-3)).toEqual([
    'so c = 2.0.0, by {b = 1.0.0, c ∉ 2.0.0}',
    'conflict {a = 1.0.0, c ∉ 1.0.0}',
    'learn {}',
  ]);
  expect(status).toBe('unsolvable');
  expect(proof!.because.terms).toEqual([]);
});
