import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import type { Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { render } from '../../../src/project/manifests/render.js';
import { fakeIo } from '../../support/fake-io.js';
import { locked, lockfileOf, needs } from '../../support/lockfiles.js';

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

test('writes the same files as the library', async () => {
  const { code, io } = await run(set);
  expect(code).toBe(0);
  expect(io.stdout()).toBe('');
  for (const [name, text] of render(set).files) {
    expect(readFileSync(join(cwd, 'rendered', name), 'utf8')).toBe(text);
  }
});

test('`--out -` prints the manifests and writes nothing', async () => {
  const { code, io } = await run(set, '--out', '-');
  expect(code).toBe(0);
  expect(io.stdout()).toBe(render(set).stream);
  expect(readdirSync(cwd)).toEqual(['xpkg.lock.yaml']);
});

test('passes flags to the rendering', async () => {
  const { io } = await run(set, '--out', '-', '--pin', 'digest', '--crossplane', 'v1.16.0');
  expect(io.stdout()).toContain('@sha256:');
  expect(io.stdout()).toContain('skipDependencyResolution: true');
  expect(io.notes().join('\n')).toContain('digest');
});

test('removes an outdated file of the tool and keeps files of the user', async () => {
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
  { flags: ['--crossplane', '>=v1.20.0'], why: 'an unknown release' },
  { flags: ['--crossplane', 'v1.15.0'], why: 'a release that a package rejects' },
  {
    flags: ['--pin', 'digest', '--apply-lock'],
    why: 'a Lock that no package manager would maintain',
  },
  { flags: ['--pin', 'both'], why: 'an unknown pin' },
])('$flags is exit 2, and nothing is written: $why', async ({ flags }) => {
  const { code } = await run(set, ...flags);
  expect(code).toBe(2);
  expect(readdirSync(cwd)).toEqual(['xpkg.lock.yaml']);
});

test('rejects a truncated lockfile with exit code 2', async () => {
  writeFileSync(join(cwd, 'xpkg.lock.yaml'), formatLockfile(set).slice(0, 300));
  const io = fakeIo({ cwd });
  expect(await runCli(['render'], io)).toBe(2);
  expect(io.notes()[0]).toMatch(/xpkg\.lock\.yaml:\d+/);
});
