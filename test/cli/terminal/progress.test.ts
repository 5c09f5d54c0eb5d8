import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { progressLine, withProgress } from '../../../src/cli/terminal/progress.js';
import { noStats } from '../../../src/resolver/driver/read-stats.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { providerYaml } from '../../support/package-yaml.js';
import { packageImage } from '../../support/registry/image.js';
import { Registry, type Fault } from '../../support/registry/registry.js';

/** Longer than the delay before a line is shown. */
const LONG_MS = 750;

// Only the clock of the progress line is faked; clients and servers keep real timers.
beforeAll(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterAll(() => void vi.useRealTimers());

/** Work that takes a long time by the clock of the progress line. */
async function slowly(): Promise<string> {
  vi.advanceTimersByTime(LONG_MS);
  return 'done';
}

const slowAnswer: Fault = () => {
  vi.advanceTimersByTime(LONG_MS);
  return false;
};

test.each([
  { stats: {}, want: 'searching (0 packages, 0 tag lists)', why: 'no request yet' },
  {
    stats: { latest: 'xpkg.io/a/b v1.0.0', fetched: 1, listed: 2, bytes: 1_250_000 },
    want: 'reading xpkg.io/a/b v1.0.0 (1 package, 2 tag lists, 1.3 MB)',
    why: 'current name, counts and bytes',
  },
  {
    stats: { latest: 'xpkg.io/a/b \u001b[31mred' },
    want: expect.not.stringContaining('\u001b') as string,
    why: 'names are untrusted text',
  },
])('$why', ({ stats, want }) => {
  expect(progressLine({ ...noStats(), ...stats }, 79)).toEqual(want);
});

describe('a line that would wrap', () => {
  const stats = {
    ...noStats(),
    latest: `xpkg.example.org/${'long/'.repeat(40)}provider v1.2.3`,
    fetched: 12,
    listed: 12,
    bytes: 1e6,
  };

  test.each([40, 79, 119])('keeps to %d characters', (width) => {
    expect(progressLine(stats, width)).toHaveLength(width);
  });

  test('shortens the name in the middle and keeps the counts', () => {
    const line = progressLine(stats, 79);
    expect(line).toMatch(/^reading xpkg\.example\.o.*…/);
    expect(line).toMatch(/v1\.2\.3 \(12 packages, 12 tag lists, 1\.0 MB\)$/);
  });

  test('uses all columns of the terminal except the last one', async () => {
    const shown: string[] = [];
    const status = (line: string) => void shown.push(line);
    const io = fakeIo({ interactive: true, columns: () => 60, status });
    await withProgress(io, stats, slowly);
    expect(shown[0]).toHaveLength(59);
  });
});

test('the line is shown during slow work and removed afterwards', async () => {
  const shown: string[] = [];
  const io = fakeIo({ interactive: true, status: (line) => void shown.push(line) });
  expect(await withProgress(io, noStats(), slowly)).toBe('done');
  expect(shown.length).toBeGreaterThan(1);
  expect(shown.at(-1)).toBe('');
});

test('shows nothing if stderr is not a terminal', async () => {
  const shown: string[] = [];
  const io = fakeIo({ interactive: false, status: (line) => void shown.push(line) });
  await withProgress(io, noStats(), slowly);
  expect(shown).toEqual([]);
});

describe('with a slow registry', () => {
  let registry: Registry;
  let folder: string;
  async function run(...argv: readonly string[]) {
    const shown: string[] = [];
    const io = fakeIo({ cwd: folder, interactive: true, status: (line) => void shown.push(line) });
    const code = await runCli(argv, io);
    return { code, shown };
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'progress-'));
    const image = await packageImage(providerYaml('p'));
    registry = (await new Registry({ faults: [slowAnswer] }).start()).push('a/p', 'v1.0.0', image);
    await run('resolve', `${registry.host}/a/p:v1.0.0`, '--crossplane', 'v2.3.4');
  });

  afterAll(async () => {
    await registry.stop();
    await rm(folder, { recursive: true });
  });

  test.each([
    { argv: ['resolve', 'PACKAGE:v1.0.0', '--no-write'] },
    { argv: ['outdated'] },
    { argv: ['verify'] },
    { argv: ['vendor', 'layout'] },
    { argv: ['index', 'PACKAGE', '--out', 'index.json'] },
    { argv: ['inspect', 'PACKAGE:v1.0.0'] },
    { argv: ['lint', 'PACKAGE:v1.0.0'] },
  ])('$argv shows what is being read', async ({ argv }) => {
    const name = `${registry.host}/a/p`;
    const { shown } = await run(...argv.map((word) => word.replace('PACKAGE', name)));
    expect(shown.join('\n')).toContain(`reading ${name}`);
    expect(shown.at(-1)).toBe('');
  });
});
