import { expect, test } from 'vitest';
import { parseDuration, publishedAt, formatTime } from '../../../src/project/inputs/policy.js';

test.each([
  ['90m', 5_400_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
  ['2w', 1_209_600_000],
  ['0d', 0],
  ['7', undefined],
  ['d', undefined],
  ['-7d', undefined],
  ['7 d', undefined],
  ['1.5d', undefined],
  ['P7D', undefined],
  ['100000d', undefined],
])('%s is a duration of %s milliseconds', (text, want) => {
  expect(parseDuration(text)).toBe(want);
});

const JUNE = '2026-06-01T00:00:00Z';
const JULY = '2026-07-01T00:00:00Z';

test.each([
  { why: 'what the image says', released: { created: JUNE }, want: JUNE },
  { why: 'with an offset', released: { created: '2026-06-01T02:00:00+02:00' }, want: JUNE },
  { why: 'seen later than it says', released: { created: JUNE, firstSeen: JULY }, want: JULY },
  { why: 'seen before it says', released: { created: JULY, firstSeen: JUNE }, want: JULY },
  {
    why: 'a reproducible build, seen',
    released: { created: '1970-01-01T00:00:00Z', firstSeen: JUNE },
    want: JUNE,
  },
])('published: $why', ({ released, want }) => {
  expect(formatTime(publishedAt(released) as number)).toBe(want);
});

test.each([
  { created: undefined, want: /names no date/ },
  { created: '', want: /names no date/ },
  { created: '1970-01-01T00:00:00Z', want: /1970-01-01T00:00:00Z/ },
  { created: '0001-01-01T00:00:00Z', want: /0001-01-01/ },
  { created: '1980-01-01T00:00:00Z', want: /1980/ },
  { created: 'yesterday', want: /yesterday/ },
  { created: '2026-13-45T00:00:00Z', want: /2026-13-45/ },
])('$created is not a publication date', ({ created, want }) => {
  expect(publishedAt({ created })).toEqual({ unknown: expect.stringMatching(want) as string });
});
