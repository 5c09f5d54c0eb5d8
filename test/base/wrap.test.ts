import { expect, test } from 'vitest';
import { wrap } from '../../src/base/messages.js';

test('lines break at spaces, and a word longer than a line stays whole', () => {
  expect(wrap('one two three fourteenth', '- ', '  ', 9)).toEqual([
    '- one two',
    '  three',
    '  fourteenth',
  ]);
});

test('text between backticks is not broken, and a single backtick is an ordinary character', () => {
  expect(wrap('needs `>= 0.0.0` of it', '', '', 8)).toEqual(['needs', '`>= 0.0.0`', 'of it']);
  expect(wrap('a ` b', '', '', 3)).toEqual(['a `', 'b']);
});
