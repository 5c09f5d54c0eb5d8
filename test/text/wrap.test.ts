import { expect, test } from 'vitest';
import { wrap } from '../../src/text/wrap.js';

test('lines break at blanks, and a word longer than a line stays whole', () => {
  expect(wrap('one two three fourteenth', '- ', '  ', 9)).toEqual([
    '- one two',
    '  three',
    '  fourteenth',
  ]);
});

test('what stands between backticks is not broken, and a single backtick is a letter', () => {
  expect(wrap('needs `>= 0.0.0` of it', '', '', 8)).toEqual(['needs', '`>= 0.0.0`', 'of it']);
  expect(wrap('a ` b', '', '', 3)).toEqual(['a `', 'b']);
});
