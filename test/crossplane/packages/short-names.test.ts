import { expect, test } from 'vitest';
import { shortNames } from '../../../src/crossplane/packages/repository-names.js';

function named(...repositories: string[]) {
  const { name, note } = shortNames(repositories);
  return { names: repositories.map(name), note };
}

test('names are the last path segment, with a note on their common location', () => {
  expect(named('h.io/o/a', 'h.io/o/b')).toEqual({
    names: ['a', 'b'],
    note: 'Packages are from h.io/o.',
  });
});

test('the note begins with the most frequent location', () => {
  expect(named('h.io/o/a', 'h.io/o/b', 'i.io/p/c', 'i.io/p/d').note).toBe(
    'Packages are from h.io/o; c and d from i.io/p.',
  );
});

test('ambiguous names have more path segments, which the note does not repeat', () => {
  expect(named('h.io/o/a', 'h.io/p/a', 'h.io/o/b')).toEqual({
    names: ['o/a', 'p/a', 'b'],
    note: 'Packages are from h.io/o; p/a from h.io.',
  });
});

test('names that need the whole path are not in the note', () => {
  expect(named('h.io/o/a', 'i.io/o/a')).toEqual({
    names: ['h.io/o/a', 'i.io/o/a'],
    note: undefined,
  });
  expect(named('a', 'b').note).toBeUndefined();
});

test('a name that is only a suffix of a segment is not ambiguous', () => {
  expect(named('h.io/o/a', 'h.io/o/not-a').names).toEqual(['a', 'not-a']);
});
