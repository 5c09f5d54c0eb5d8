import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldLine } from '../../../src/cli/terminal/output-filters.js';

test.each([
  { line: 'short', width: 10, folded: ['short'], why: 'it fits' },
  {
    line: 'one two three four',
    width: 10,
    folded: ['one two', '    three', '    four'],
    why: 'plain text',
  },
  {
    line: '  a/b  v1  this is what holds it back',
    width: 24,
    folded: ['  a/b  v1  this is what', '           holds it back'],
    why: 'the last column of a table',
  },
  {
    line: '├── xpkg.io/a/b v1.0.0 `>=v1.0.0`',
    width: 24,
    folded: ['├── xpkg.io/a/b v1.0.0', '│       `>=v1.0.0`'],
    why: 'a branch of a tree',
  },
  {
    line: 'averylongnamewithnoblank',
    width: 10,
    folded: ['averylongnamewithnoblank'],
    why: 'one word',
  },
])('$why', ({ line, width, folded }) => {
  expect(foldLine(line, width)).toEqual(folded);
});

test('keeps all words whole and in order', () => {
  const words = fc.array(fc.stringMatching(/^[a-z/.-]{1,30}$/), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(words, fc.integer({ min: 5, max: 60 }), (given, width) => {
      const lines = foldLine(given.join(' '), width);
      expect(lines.join(' ').trim().split(/\s+/)).toEqual(given);
      for (const line of lines) {
        expect(line.length <= width || line.trim().split(/\s+/).length === 1).toBe(true);
      }
    }),
  );
});
