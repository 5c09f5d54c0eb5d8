import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

test('roots are decided in the given order, then the requirements of each in their order', () => {
  const universe = {
    'a 1.0.0': 'd *; c *',
    'b 1.0.0': 'e *',
    'c 1.0.0': '',
    'd 1.0.0': 'e *',
    'e 1.0.0': '',
  };
  expect(story(universe, ['b *', 'a *']).selected).toEqual([
    'b 1.0.0',
    'a 1.0.0',
    'e 1.0.0',
    'd 1.0.0',
    'c 1.0.0',
  ]);
});

const three = { 'a 1.0.0': '', 'a 1.10.0': '', 'a 1.9.0': '' };

test('the first package of the queue is decided on the newest allowed version', () => {
  expect(story(three, ['a *']).selected).toEqual(['a 1.10.0']);
  expect(story(three, ['a <1.10.0']).selected).toEqual(['a 1.9.0']);
});

test('with `prefer: lowest` it is decided on the oldest allowed version', () => {
  expect(story(three, ['a *'], { prefer: 'lowest' }).selected).toEqual(['a 1.0.0']);
});

test('a locked version is preferred to all others', () => {
  expect(story(three, ['a *'], { locked: { a: '1.9.0' } }).selected).toEqual(['a 1.9.0']);
});

test('an earlier package gets its newest version even if a later one then gets an older version', () => {
  const universe = {
    'a 1.0.0': '',
    'a 2.0.0': 'shared ^1.0.0',
    'b 1.0.0': '',
    'b 2.0.0': 'shared ^2.0.0',
    'shared 1.0.0': '',
    'shared 2.0.0': '',
  };
  expect(story(universe, ['a *', 'b *']).selected).toEqual(['a 2.0.0', 'b 1.0.0', 'shared 1.0.0']);
  expect(story(universe, ['b *', 'a *']).selected).toEqual(['b 2.0.0', 'a 1.0.0', 'shared 2.0.0']);
});

test('undoing a decision removes what it appended to the queue', () => {
  const universe = {
    'a 1.0.0': '',
    'a 2.0.0': 'x ^1.0.0; y *',
    'x 1.0.0': 'rejected',
    'y 1.0.0': '',
  };
  const { decided, selected } = story(universe, ['a *']);
  expect(decided).toEqual(['a = 2.0.0', 'a = 1.0.0']);
  expect(selected).toEqual(['a 1.0.0']);
});
