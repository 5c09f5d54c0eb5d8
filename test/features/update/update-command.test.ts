import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { providers, requiring } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/provider-a';
const B = 'xpkg.example.org/acme/provider-b';
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-'));
  const set = {
    apiVersion: 'xpkg-resolve.dev/v1alpha1',
    kind: 'PackageSet',
    metadata: { name: 'test' },
    spec: { crossplane: 'v2.3.4', packages: [{ provider: A, version: '^v1.0.0' }] },
  };
  writeFileSync(join(folder, 'xpkg.yaml'), JSON.stringify(set));
  const old = { digest: digest('a'), ...requiring({ [B]: '>=v1.0.0' }) };
  index({ [A]: { 'v1.0.0': old }, [B]: { 'v1.0.0': { digest: digest('b') } } });
  await run('resolve');
  index({
    [A]: {
      'v1.0.0': old,
      'v1.1.0': { digest: digest('c'), ...requiring({ [B]: '>=v1.1.0' }) },
      'v2.0.0': { digest: digest('d') },
    },
    [B]: { 'v1.0.0': { digest: digest('b') }, 'v1.1.0': { digest: digest('e') } },
  });
});

afterEach(() => rmSync(folder, { recursive: true }));

function index(packages: Parameters<typeof providers>[0]): void {
  writeFileSync(join(folder, 'index.json'), JSON.stringify(providers(packages)));
}

async function run(command: string, ...args: string[]) {
  const io = fakeIo({ cwd: folder });
  const code = await runCli([command, '--from', 'index:index.json', ...args], io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

function file(path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

test('updates the package, explains related changes, and writes both outputs', async () => {
  const { code, stderr } = await run('update', `${A}@v1.1.0`);
  expect(code).toBe(EXIT.done);
  expect(stderr).toContain(`moved ${A} v1.0.0 → v1.1.0: asked for`);
  expect(stderr).toContain(`moved ${B} v1.0.0 → v1.1.0: ${A} v1.1.0 requires \`>=v1.1.0\``);
  expect(file('xpkg.lock.yaml')).toContain('v1.1.0');
  expect(file('rendered/packages.yaml')).toContain(`${B}:v1.1.0`);
});

test('-o json has the reasons', async () => {
  const { stdout } = await run('update', 'provider-b', '-o', 'json', '--no-write');
  expect(JSON.parse(stdout)).toMatchObject({
    schemaVersion: 1,
    status: 'solved',
    changes: [{ source: B, from: 'v1.0.0', to: 'v1.1.0', reason: 'asked for' }],
  });
});

test('without names, all packages may change', async () => {
  const { stderr } = await run('update', '--no-write');
  expect(stderr).toContain(`would move ${A} v1.0.0 → v1.1.0: asked for`);
});

test('explains why nothing changes', async () => {
  await run('update', A);
  const { code, stderr } = await run('update', A);
  expect(code).toBe(EXIT.done);
  expect(stderr).toContain(`nothing moves: ${A} stays at v1.1.0 (newest is v2.0.0)`);
  expect(stderr).toContain('held by xpkg.yaml:1, which requires `^v1.0.0`');
  expect((await run('update', A, '--quiet')).stderr).not.toContain('held by');
  expect((await run('update', B)).stderr).toContain('nothing moves: there is nothing newer');
});

test('a version that the user excludes is a conflict, and nothing is written', async () => {
  const before = file('xpkg.lock.yaml');
  const { code, stderr } = await run('update', `${A}@v2.0.0`);
  expect(code).toBe(EXIT.unsolvable);
  expect(stderr).toContain('command line');
  expect(stderr).toContain('^v1.0.0');
  expect(file('xpkg.lock.yaml')).toBe(before);
});

test.each([
  { args: ['provider-c'], code: EXIT.badInput, says: 'did you mean', why: 'an unknown package' },
  { args: [`${A}@`], code: EXIT.badInput, says: 'names no version', why: 'an unknown version' },
  {
    args: ['--lock', 'gone.yaml'],
    code: EXIT.lockMismatch,
    says: 'no lockfile',
    why: 'no lockfile',
  },
])('$args is exit $code: $why', async ({ args, code, says }) => {
  const given = await run('update', ...args);
  expect(given.code).toBe(code);
  expect(given.stderr).toContain(says);
});
