import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

test('the lists that the roots will take are announced together', () => {
  const { announced } = story({ 'a 1.0.0': '', 'b 1.0.0': '' }, ['a *', 'b *']);
  expect(announced[0]).toEqual(['tags of a', 'tags of b']);
});

test('so are those that a version requires', () => {
  const universe = { 'a 1.0.0': 'b *; c *', 'b 1.0.0': '', 'c 1.0.0': '' };
  expect(story(universe, ['a *']).announced).toContainEqual(['tags of b', 'tags of c']);
});

test('a version spelled in full takes no list', () => {
  const { announced } = story({ 'a v1.0.0': '', 'b 1.0.0': '' }, ['a v1.0.0', 'b *']);
  expect(announced[0]).toEqual(['tags of b']);
});

test('lists are not announced for a version that what is known already rules out', () => {
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

test('versions are announced that packages before them in the queue cannot rule out', () => {
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
  // A member of a family narrows its family; a configuration may narrow anything.
  expect(announced[1]).toEqual(['function-x 1.1.0', 'provider-aws-s3 1.1.0', 'platform 1.1.0']);
});

test('what was announced together is looked at before anything else is announced', () => {
  const universe = {
    'a 1.0.0': 'c 1.0.0 as Configuration; d 1.0.0 as Configuration',
    'b 1.0.0': 'c 2.0.0 as Configuration',
    'c 1.0.0': 'is Configuration',
    'c 2.0.0': 'is Configuration',
    'd 1.0.0': 'is Configuration',
  };
  // `b` and `a` come in one round, and rule each other out: `d` would be read in vain.
  const { announced } = story(universe, ['a 1.0.0', 'b 1.0.0']);
  expect(announced).toContainEqual(['b 1.0.0', 'a 1.0.0']);
  expect(announced.flat()).not.toContain('d 1.0.0');
});

test('of a package whose versions fall one by one, half as many as have fallen are announced', () => {
  const falls = Array.from({ length: 7 }, (_, i) => [`a ${i + 1}.0.0`, 'b ^2.0.0'] as const);
  const universe = { 'b 1.0.0': '', 'b 2.0.0': '', 'a 0.1.0': '', ...Object.fromEntries(falls) };
  const { announced } = story(universe, ['b ^1.0.0', 'a *']);
  // The version that is read now is announced too, where it waits.
  const walked = announced.filter((each) => each.some((one) => one.startsWith('a ')));
  expect(walked.map((each) => each.length)).toEqual([1, 2, 2, 3, 3, 4, 3, 2]);
});

test('after a conflict nothing is announced but what is certain', () => {
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

test('whether announcements are heeded changes neither the answer nor the way to it', () => {
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
    story(universe, ['a *', 'b *'], { ignoresAnnouncements }),
  );
  expect(heeded!.announced).not.toEqual(ignored!.announced);
  expect(heeded!.asked).toEqual(ignored!.asked);
  expect(heeded!.steps).toEqual(ignored!.steps);
  expect(heeded!.selected).toEqual(ignored!.selected);
});
