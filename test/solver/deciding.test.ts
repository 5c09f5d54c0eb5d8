import { expect, test } from 'vitest';
import { story } from '../support/story/story.js';

test('roots are decided as given, then what each requires, as written', () => {
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

test('the head of the queue takes its newest version that nothing forbids', () => {
  expect(story(three, ['a *']).selected).toEqual(['a 1.10.0']);
  expect(story(three, ['a <1.10.0']).selected).toEqual(['a 1.9.0']);
});

test('or its oldest, where the user prefers that', () => {
  expect(story(three, ['a *'], { prefer: 'lowest' }).selected).toEqual(['a 1.0.0']);
});

test('a locked version comes before all others', () => {
  expect(story(three, ['a *'], { locked: { a: '1.9.0' } }).selected).toEqual(['a 1.9.0']);
});

test('an earlier package takes its newest, though a later one must then do with less', () => {
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

test('what a decision appended to the queue goes when the decision is taken back', () => {
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
