import { expect, test } from 'vitest';
import { byCodePoint } from '../../src/base/collections.js';

test.each([
  { low: 'B', high: 'a', why: 'no locale folds case' },
  { low: 'v1', high: 'v1.0', why: 'a prefix comes first' },
  { low: 'é', high: 'ﬀ', why: 'plain code units' },
  { low: 'ﬀ', high: '😀', why: 'a surrogate pair stands for a high code point' },
])('$low before $high: $why', ({ low, high }) => {
  expect(byCodePoint(low, high)).toBeLessThan(0);
  expect(byCodePoint(high, low)).toBeGreaterThan(0);
  expect(byCodePoint(low, low)).toBe(0);
});
