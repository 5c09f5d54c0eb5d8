import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli } from '../../../../src/cli/run.js';
import { formatLockfile } from '../../../../src/lock/format-lockfile.js';
import type { Lockfile } from '../../../../src/lock/lockfile.js';
import { render } from '../../../../src/usecases/render.js';
import { fakeIo } from '../../../support/fake-io.js';
import { locked, lockfileOf, needs } from '../../../support/lockfiles.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'render-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const set = lockfileOf([
  locked('x.io/a/cfg:v1.0.0', {
    kind: 'Configuration',
    direct: true,
    requirements: [needs('x.io/a/p >=v1.0.0')],
  }),
  locked('x.io/a/p:v1.2.0', { crossplane: '>=v1.16.0' }),
]);

async function run(lockfile: Lockfile, ...flags: readonly string[]) {
  writeFileSync(join(cwd, 'xpkg.lock.yaml'), formatLockfile(lockfile));
  const io = fakeIo({ cwd });
  return { code: await runCli(['render', ...flags], io), io };
}

test('writes what the library renders', async () => {
  const { code, io } = await run(set);
  expect(code).toBe(0);
  expect(io.stdout()).toBe('');
  for (const [name, text] of render(set).files) {
    expect(readFileSync(join(cwd, 'rendered', name), 'utf8')).toBe(text);
  }
});

test('`--out -` prints the stream and writes nothing', async () => {
  const { code, io } = await run(set, '--out', '-');
  expect(code).toBe(0);
  expect(io.stdout()).toBe(render(set).stream);
  expect(readdirSync(cwd)).toEqual(['xpkg.lock.yaml']);
});

test('flags reach the rendering', async () => {
  const { io } = await run(set, '--out', '-', '--pin', 'digest', '--crossplane', 'v1.16.0');
  expect(io.stdout()).toContain('@sha256:');
  expect(io.stdout()).toContain('skipDependencyResolution: true');
  expect(io.notes().join('\n')).toContain('digest');
});

test('a stale file of ours goes; a file of theirs stays', async () => {
  await run(set);
  writeFileSync(join(cwd, 'rendered', 'README.md'), 'theirs');
  const undigested = {
    ...set,
    packages: set.packages.map((each) => ({ ...each, digest: undefined })),
  };
  const { code } = await run(undigested);
  expect(code).toBe(0);
  expect(readdirSync(join(cwd, 'rendered')).sort()).toEqual([
    'README.md',
    'kustomization.yaml',
    'packages.yaml',
  ]);
});

test('no lockfile is exit 4', async () => {
  const io = fakeIo({ cwd });
  expect(await runCli(['render'], io)).toBe(4);
  expect(io.notes()[0]).toContain('xpkg.lock.yaml');
});

test.each([
  { flags: ['--crossplane', '>=v1.20.0'], why: 'no release' },
  { flags: ['--crossplane', 'v1.15.0'], why: 'a release that a package refuses' },
  {
    flags: ['--pin', 'digest', '--apply-lock'],
    why: 'a Lock that no package manager would look after',
  },
  { flags: ['--pin', 'both'], why: 'no such pin' },
])('$flags is exit 2, and nothing is written: $why', async ({ flags }) => {
  const { code } = await run(set, ...flags);
  expect(code).toBe(2);
  expect(readdirSync(cwd)).toEqual(['xpkg.lock.yaml']);
});

test('a lockfile cut short is exit 2', async () => {
  writeFileSync(join(cwd, 'xpkg.lock.yaml'), formatLockfile(set).slice(0, 300));
  const io = fakeIo({ cwd });
  expect(await runCli(['render'], io)).toBe(2);
  expect(io.notes()[0]).toMatch(/xpkg\.lock\.yaml:\d+/);
});
