import { expect, test } from 'vitest';
import { shortNames } from '../../../src/explain/short/short-names.js';

function named(...repositories: string[]) {
  const { name, note } = shortNames(repositories);
  return { names: repositories.map(name), note };
}

test('the last part of the path, and where all of them are from', () => {
  expect(named('h.io/o/a', 'h.io/o/b')).toEqual({
    names: ['a', 'b'],
    note: 'Packages are from h.io/o.',
  });
});

test('where most are from, then where the others are from', () => {
  expect(named('h.io/o/a', 'h.io/o/b', 'i.io/p/c', 'i.io/p/d').note).toBe(
    'Packages are from h.io/o; c and d from i.io/p.',
  );
});

test('as much more of the path as tells two apart, which is then not said again', () => {
  expect(named('h.io/o/a', 'h.io/p/a', 'h.io/o/b')).toEqual({
    names: ['o/a', 'p/a', 'b'],
    note: 'Packages are from h.io/o; p/a from h.io.',
  });
});

test('all of it where nothing less will do; of what is not shortened nothing is said', () => {
  expect(named('h.io/o/a', 'i.io/o/a')).toEqual({
    names: ['h.io/o/a', 'i.io/o/a'],
    note: undefined,
  });
  expect(named('a', 'b').note).toBeUndefined();
});

test('a name that ends as another one is no part of it', () => {
  expect(named('h.io/o/a', 'h.io/o/not-a').names).toEqual(['a', 'not-a']);
});
