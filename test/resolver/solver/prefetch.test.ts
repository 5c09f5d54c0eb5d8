import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

test('the tag lists of all roots are prefetched together', () => {
  const { announced } = story({ 'a 1.0.0': '', 'b 1.0.0': '' }, ['a *', 'b *']);
  expect(announced[0]).toEqual(['tags of a', 'tags of b']);
});

test('the tag lists that a version requires are prefetched together', () => {
  const universe = { 'a 1.0.0': 'b *; c *', 'b 1.0.0': '', 'c 1.0.0': '' };
  expect(story(universe, ['a *']).announced).toContainEqual(['tags of b', 'tags of c']);
});

test('a version written in full needs no tag list', () => {
  const { announced } = story({ 'a v1.0.0': '', 'b 1.0.0': '' }, ['a v1.0.0', 'b *']);
  expect(announced[0]).toEqual(['tags of b']);
});

test('tag lists are not prefetched for a version that known facts exclude', () => {
  const universe = {
    'a 1.0.0': '',
    'a 2.0.0': 'b ^2.0.0; c *',
    'b 1.0.0': '',
    'b 2.0.0': '',
    'c 1.0.0': '',
  };
  const { announced } = story(universe, ['b ^1.0.0', 'a *']);
  expect(announced.flat()).toContain('a 2.0.0');
  expect(announced.flat()).not.toContain('tags of c');
});

test('versions are prefetched if no package before them in the queue can exclude them', () => {
  const universe = {
    'function-x 1.0.0': 'is Function',
    'function-x 1.1.0': 'is Function',
    'provider-aws-s3 1.0.0': 'provider-family-aws *',
    'provider-aws-s3 1.1.0': 'provider-family-aws *',
    'provider-family-aws 1.0.0': '',
    'provider-family-aws 1.1.0': '',
    'platform 1.0.0': 'is Configuration',
    'platform 1.1.0': 'is Configuration',
    'last 1.0.0': '',
    'last 1.1.0': '',
  };
  const roots = ['function-x', 'provider-aws-s3', 'provider-family-aws', 'platform', 'last'];
  const { announced } = story(
    universe,
    roots.map((name) => `${name} *`),
  );
  // A member of a family may exclude versions of its family, a configuration any version.
  expect(announced[1]).toEqual(['function-x 1.1.0', 'provider-aws-s3 1.1.0', 'platform 1.1.0']);
});

test('versions that were prefetched together are processed before anything else is prefetched', () => {
  const universe = {
    'a 1.0.0': 'c 1.0.0 as Configuration; d 1.0.0 as Configuration',
    'b 1.0.0': 'c 2.0.0 as Configuration',
    'c 1.0.0': 'is Configuration',
    'c 2.0.0': 'is Configuration',
    'd 1.0.0': 'is Configuration',
  };
  // `b` and `a` arrive in one round and exclude each other: reading `d` would be in vain.
  const { announced } = story(universe, ['a 1.0.0', 'b 1.0.0']);
  expect(announced).toContainEqual(['b 1.0.0', 'a 1.0.0']);
  expect(announced.flat()).not.toContain('d 1.0.0');
});

test('if the versions of a package are excluded one by one, half as many as were read are prefetched', () => {
  const falls = Array.from({ length: 7 }, (_, i) => [`a ${i + 1}.0.0`, 'b ^2.0.0'] as const);
  const universe = { 'b 1.0.0': '', 'b 2.0.0': '', 'a 0.1.0': '', ...Object.fromEntries(falls) };
  const { announced } = story(universe, ['b ^1.0.0', 'a *']);
  // The version that is being read is included.
  const walked = announced.filter((each) => each.some((one) => one.startsWith('a ')));
  expect(walked.map((each) => each.length)).toEqual([1, 2, 2, 3, 3, 4, 3, 2]);
});

test('after a conflict only the version that is read next is prefetched', () => {
  const universe = {
    'a 1.0.0': 'function-y * as Function',
    'a 2.0.0': 'x *',
    'x 1.0.0': 'rejected',
    'function-y 1.0.0': 'is Function',
    'function-y 2.0.0': 'is Function',
  };
  const { announced, asked } = story(universe, ['a *']);
  expect(announced.slice(-2)).toEqual([['a 1.0.0'], ['tags of function-y']]);
  expect(asked.slice(-2)).toEqual(['tags of function-y', 'function-y 2.0.0']);
});

test('prefetching changes neither the solution nor the steps of the search', () => {
  const universe = {
    'a 1.0.0': 'c *; d *',
    'a 2.0.0': 'c ^2.0.0; d ^1.0.0',
    'b 1.0.0': 'c ^1.0.0',
    'b 2.0.0': 'c ^1.0.0',
    'c 1.0.0': 'd *',
    'c 2.0.0': 'd ^2.0.0',
    'd 1.0.0': '',
    'd 2.0.0': '',
  };
  const [heeded, ignored] = [false, true].map((ignoresAnnouncements) =>
    story(universe, ['a *', 'b *'], { ignoresPrefetches: ignoresAnnouncements }),
  );
  expect(heeded!.announced).not.toEqual(ignored!.announced);
  expect(heeded!.asked).toEqual(ignored!.asked);
  expect(heeded!.steps).toEqual(ignored!.steps);
  expect(heeded!.selected).toEqual(ignored!.selected);
});
