import { expect, test } from 'vitest';
import { progressLine, withProgress } from '../../src/cli/progress.js';
import { noStats } from '../../src/sources/counted.js';
import { fakeIo } from '../support/fake-io.js';

test.each([
  { stats: {}, want: 'searching (0 packages, 0 tag lists)', why: 'nothing was asked for yet' },
  {
    stats: { latest: 'xpkg.io/a/b v1.0.0', fetched: 1, listed: 2, bytes: 1_250_000 },
    want: 'reading xpkg.io/a/b v1.0.0 (1 package, 2 tag lists, 1.3 MB)',
    why: 'what, how many, how much',
  },
  {
    stats: { latest: 'xpkg.io/a/b \u001b[31mred' },
    want: expect.not.stringContaining('\u001b') as string,
    why: 'names come from strangers',
  },
])('$why', ({ stats, want }) => {
  expect(progressLine({ ...noStats(), ...stats })).toEqual(want);
});

/** Works until the clock has been looked at often enough for a line or two. */
const slowly = () => new Promise<string>((done) => setTimeout(done, 750, 'done'));

test('a person who waits is told, and the line goes when the work is done', async () => {
  const shown: string[] = [];
  const io = fakeIo({ interactive: true, status: (line) => void shown.push(line) });
  expect(await withProgress(io, noStats(), slowly)).toBe('done');
  expect(shown.length).toBeGreaterThan(1);
  expect(shown.at(-1)).toBe('');
});

test('where nobody watches, nothing is shown', async () => {
  const shown: string[] = [];
  const io = fakeIo({ interactive: false, status: (line) => void shown.push(line) });
  await withProgress(io, noStats(), slowly);
  expect(shown).toEqual([]);
});
