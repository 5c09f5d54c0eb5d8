import { expect, test } from 'vitest';
import { escapedLines, printable } from '../../src/text/printable.js';

test.each([
  { text: 'plain ünïcode', want: 'plain ünïcode', why: 'letters stay' },
  { text: '\u001b[2Jgone', want: '\ufffd[2Jgone', why: 'no escape sequence' },
  { text: 'a\nb\r\tc', want: 'a\ufffdb\ufffd\ufffdc', why: 'no line of its own' },
  { text: 'a\u202egnp', want: 'a\ufffdgnp', why: 'no text that runs backwards' },
  { text: '::error::x', want: '\ufffd:error::x', why: 'no workflow command' },
  { text: 'a ##[error]x', want: 'a #\ufffd[error]x', why: 'nor the older form, anywhere' },
  { text: 'x'.repeat(400), want: `${'x'.repeat(300)}…`, why: 'no flood' },
])('$why', ({ text, want }) => {
  expect(printable(text)).toBe(want);
});

test.each([
  { text: 'a\n\tb\n', want: 'a\n\tb\n', why: 'lines stay lines' },
  { text: '\u001b[2J\r', want: '\\u001b[2J\\u000d', why: 'no escape sequence' },
  { text: 'a\u009b\u202eb', want: 'a\\u009b\\u202eb', why: 'nor one in a single character' },
  {
    text: 'a\n \t::error::x',
    want: 'a\n \t\\u003a:error::x',
    why: 'no workflow command on any line',
  },
  { text: 'a::b ##[error]', want: 'a::b #\\u0023[error]', why: 'nor the older form, anywhere' },
])('of lines: $why', ({ text, want }) => {
  expect(escapedLines(text)).toBe(want);
});

test('of lines: a document of JSON says what it said', () => {
  const value = { '\u202e': ['::x', '##[y]', '\u001b\u0085\u2028\n::z', '\ufeff'] };
  expect(JSON.parse(escapedLines(JSON.stringify(value, null, 2)))).toEqual(value);
});
