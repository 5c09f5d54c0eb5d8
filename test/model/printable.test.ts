import { expect, test } from 'vitest';
import { printable } from '../../src/model/printable.js';

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
