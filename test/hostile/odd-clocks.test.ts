import { expect, test } from 'vitest';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../src/cli/kit/command.js';
import { runCli } from '../../src/commands.js';
import { fakeIo } from '../support/fake-io.js';
import { recordFigure } from '../support/figures.js';

/** `npm run hostile` tests all pairs of dates; `npm test` tests every STRIDE-th one. */
const STRIDE = process.env['XPKG_HOSTILE_INPUTS'] === undefined ? 7 : 1;
const P = 'xpkg.example.org/acme/p';
const OLD = '2019-01-01T00:00:00Z';
/**
 * Dates of a version, with the time from which the version is at least a week old; undefined:
 * unknown.
 */
const DATES: readonly { readonly text: string | undefined; readonly time?: number }[] = [
  { text: undefined },
  { text: '' },
  { text: 'yesterday' },
  { text: '0000-00-00T00:00:00Z' },
  { text: '0000-01-01T00:00:00Z' },
  { text: '0001-01-01T00:00:00Z' },
  { text: '1970-01-01T00:00:00Z' },
  { text: '1980-01-01T00:00:01Z' },
  { text: '-271821-04-20T00:00:00Z' },
  { text: '+275760-09-13T00:00:00Z' },
  { text: '2026-13-01T00:00:00Z' },
  { text: '2026-01-01T25:00:00Z' },
  { text: '2026-01-01T00:00:00+99:99' },
  { text: '2026-01-01 00:00:00Z' },
  { text: '2026-01-01T00:00:00' },
  { text: '٢٠٢٦-01-01T00:00:00Z' },
  { text: '2026-01-01T00:00:00Z\n' },
  { text: OLD, time: Date.UTC(2019, 0, 1) },
  { text: '2026-11-10T23:59:59.999999999Z', time: Date.UTC(2026, 10, 10, 23, 59, 59, 999) },
  { text: '2026-11-11T00:00:00Z', time: Date.UTC(2026, 10, 11) },
  { text: '2026-11-11T14:00:00+14:00', time: Date.UTC(2026, 10, 11) },
  { text: '2026-11-10T12:00:00-12:00', time: Date.UTC(2026, 10, 11) },
  { text: '2026-11-11T00:00:01Z', time: Date.UTC(2026, 10, 11, 0, 0, 1) },
  { text: '2099-01-01T00:00:00Z', time: Date.UTC(2099, 0, 1) },
  { text: '9999-12-31T23:59:59Z', time: Date.UTC(9999, 11, 31, 23, 59, 59) },
];
const WEEK = 7 * 86_400_000;
/** A week after 2026-11-11, a clock in the past, and one far in the future. */
const CLOCKS = [Date.UTC(2026, 10, 18), Date.UTC(2018, 0, 1), 0, Date.UTC(9999, 11, 31)];

const folder = mkdtempSync(join(tmpdir(), 'odd-clocks-'));

async function resolve(versions: object, minimumAge: string, epoch: string) {
  rmSync(join(folder, 'xpkg.lock.yaml'), { force: true });
  writeFileSync(
    join(folder, 'i.json'),
    JSON.stringify({ packages: { [P]: { kind: 'Provider', versions } } }),
  );
  const packages = [{ provider: P, version: '>=v1.0.0' }];
  const spec = { crossplane: 'v2.3.4', packages, policy: { minimumAge } };
  const set = { apiVersion: 'xpkg-resolve.dev/v1alpha1', kind: 'PackageSet', spec };
  writeFileSync(join(folder, 'xpkg.yaml'), JSON.stringify(set));
  const io = fakeIo({ cwd: folder, env: { SOURCE_DATE_EPOCH: epoch } });
  const code = await runCli(['resolve', '--from', 'index:i.json', '--out', 'rendered'], io);
  return { code, notes: io.notes() };
}

function lockedVersion(): string | undefined {
  return /version: (v\S+)/.exec(readFileSync(join(folder, 'xpkg.lock.yaml'), 'utf8'))?.[1];
}

test('chooses a version only a week after the later of its dates', async () => {
  const wrong: unknown[] = [];
  let tried = 0;
  for (const created of DATES) {
    for (const firstSeen of DATES) {
      // The clock varies with the pair, so that each date is combined with each clock.
      const now = CLOCKS[tried % CLOCKS.length]!;
      tried += 1;
      if (tried % STRIDE !== 0) continue;
      const newer = {
        digest: `sha256:${'2'.repeat(64)}`,
        created: created.text,
        firstSeen: firstSeen.text,
      };
      const versions = {
        'v1.0.0': { digest: `sha256:${'1'.repeat(64)}`, created: OLD },
        'v1.1.0': newer,
      };
      const { code, notes } = await resolve(versions, '7d', String(now / 1000));
      const known = [created.time, firstSeen.time].filter((time) => time !== undefined);
      const isOut = known.length > 0 && Math.max(...known) + WEEK <= now;
      const isOldOut = Date.UTC(2019, 0, 1) + WEEK <= now;
      const expected = isOut ? 'v1.1.0' : isOldOut ? 'v1.0.0' : EXIT.unsolvable;
      // A date that is invalid in an index may make the whole index invalid.
      const got = code === EXIT.done ? lockedVersion() : code;
      if (got !== expected && !(code === EXIT.sourceFailed && known.length < 2))
        wrong.push({ created: created.text, firstSeen: firstSeen.text, now, expected, got, notes });
    }
  }
  recordFigure('dates and clocks that `minimumAge` is given', {
    tried: Math.floor(tried / STRIDE),
    violations: wrong.length,
  });
  expect(wrong).toEqual([]);
}, 120_000);

test.each(['-1', '1e3', '0x10', '1.5', ' 1', 'now', '9'.repeat(20), '٣', '8640000000001', '1\n'])(
  'SOURCE_DATE_EPOCH %j is refused',
  async (epoch) => {
    recordFigure('dates and clocks that `minimumAge` is given', { tried: 1 });
    const { code, notes } = await resolve({ 'v1.0.0': { created: OLD } }, '7d', epoch);
    expect([code, notes.join('\n')]).toEqual([
      EXIT.badInput,
      expect.stringContaining('SOURCE_DATE_EPOCH'),
    ]);
  },
);

test.each(['99999w', '0m', '00000d'])('the longest and shortest age, %s', async (age) => {
  recordFigure('dates and clocks that `minimumAge` is given', { tried: 1 });
  const versions = {
    'v1.0.0': { digest: `sha256:${'1'.repeat(64)}`, created: '9999-12-31T23:59:59Z' },
  };
  for (const epoch of ['0', '8640000000000']) {
    const { code } = await resolve(versions, age, epoch);
    expect(code).toBe(epoch === '0' ? EXIT.unsolvable : EXIT.done);
  }
});
