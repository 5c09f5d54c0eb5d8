import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/kit/command.js';
import { runCli } from '../../src/commands.js';
import { fakeIo } from '../support/fake-io.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const RESOLVE = ['resolve', '-f', join(FIXTURES, 'demo'), '--from', `dir:${FIXTURES}/packages`];
let top: string;
let folder: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'user-files-')));
  folder = join(top, 'a/project');
  mkdirSync(join(folder, 'rendered'), { recursive: true });
  writeFileSync(join(top, 'victim'), 'mine');
});
afterEach(() => rmSync(top, { recursive: true }));

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd: folder });
  return { code: await runCli(argv, io), notes: io.notes().join('\n') };
}

test.each([
  { what: 'rendered/packages.yaml', to: '../../../victim' },
  { what: 'xpkg.lock.yaml', to: '../../victim' },
  { what: 'out', to: '../..' },
])('does not write through a link out of the project: $what', async ({ what, to }) => {
  symlinkSync(to, join(folder, what));
  const argv = what === 'out' ? [...RESOLVE, '--out', 'out'] : RESOLVE;
  if (what === 'xpkg.lock.yaml') rmSync(join(top, 'victim'));
  const { code, notes } = await run(...argv);
  expect([code, notes]).toEqual([EXIT.badInput, expect.stringContaining(join(folder, what))]);
  expect(readdirSync(top)).toEqual(what === 'xpkg.lock.yaml' ? ['a'] : ['a', 'victim']);
  if (what !== 'xpkg.lock.yaml') expect(readFileSync(join(top, 'victim'), 'utf8')).toBe('mine');
});

test('keeps a link within the project', async () => {
  mkdirSync(join(folder, 'deploy'));
  rmSync(join(folder, 'rendered'), { recursive: true });
  symlinkSync('deploy', join(folder, 'rendered'));
  expect((await run(...RESOLVE)).code).toBe(EXIT.done);
  expect(readdirSync(join(folder, 'deploy'))).toContain('packages.yaml');
});

test('writes to an outside folder that the user names', async () => {
  expect((await run(...RESOLVE, '--out', '../../out')).code).toBe(EXIT.done);
  expect(readdirSync(join(top, 'out'))).toContain('packages.yaml');
});

test('`vendor` does not fill an outside folder through a link', async () => {
  expect((await run(...RESOLVE)).code).toBe(EXIT.done);
  mkdirSync(join(top, 'empty'));
  symlinkSync('../../empty', join(folder, 'world'));
  const { code, notes } = await run('vendor', 'world', '--from', `dir:${FIXTURES}/packages`);
  expect([code, notes]).toEqual([EXIT.badInput, expect.stringContaining(join(top, 'empty'))]);
  expect(readdirSync(join(top, 'empty'))).toEqual([]);
});

test.each([
  { what: 'a link to a device', make: (path: string) => symlinkSync('/dev/zero', path) },
  { what: 'a pipe', make: (path: string) => execFileSync('mkfifo', [path]) },
  { what: 'a folder', make: (path: string) => mkdirSync(path) },
])('rejects a lockfile that is $what, without reading it', async ({ make }) => {
  make(join(folder, 'xpkg.lock.yaml'));
  for (const argv of [RESOLVE, ['tree'], ['render'], ['verify']]) {
    const { code, notes } = await run(...argv);
    expect([code, notes]).toEqual([EXIT.badInput, expect.stringContaining('xpkg.lock.yaml')]);
  }
});

test.each([
  { what: 'a pipe', make: (path: string) => execFileSync('mkfifo', [path]) },
  { what: 'a folder', make: (path: string) => mkdirSync(path) },
  { what: 'a file of the user', make: (path: string) => writeFileSync(path, 'resources: []\n') },
])(
  '$what in the place of a rendered file is not replaced, and nothing is written',
  async ({ make }) => {
    rmSync(join(folder, 'rendered'), { recursive: true });
    make(join(folder, 'kustomization.yaml'));
    const { code, notes } = await run(...RESOLVE, '--out', '.');
    expect([code, notes]).toEqual([EXIT.badInput, expect.stringContaining('kustomization.yaml')]);
    expect(readdirSync(folder)).toEqual(['kustomization.yaml']);
  },
);

test('replaces its own files and removes those that are no longer rendered', async () => {
  writeFileSync(join(folder, 'rendered/lock.yaml'), '# Written by xpkg-resolve; old\n');
  expect((await run(...RESOLVE)).code).toBe(EXIT.done);
  expect(readFileSync(join(folder, 'rendered/lock.yaml'), 'utf8')).not.toContain('old');
});

test('an endless device is too large an input and uses little memory', async () => {
  for (const argv of [
    ['-f', '/dev/zero'],
    ['--from', 'index:/dev/zero', 'x.io/a/b:v1'],
  ]) {
    const { code, notes } = await run('resolve', ...argv);
    expect([code, notes]).toEqual([expect.any(Number), expect.stringContaining('larger than')]);
    expect([EXIT.badInput, EXIT.sourceFailed]).toContain(code);
  }
});

test('reads a pipe that the user gives: `-f <(…)`', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const written = once(spawn('cp', [join(FIXTURES, 'demo/xpkg.yaml'), pipe]), 'close');
  const from = ['--from', `dir:${FIXTURES}/packages`];
  expect((await run('resolve', '-f', 'pipe', ...from)).code).toBe(EXIT.done);
  expect((await written)[0]).toBe(0);
});

test('reads despite a lock of another host', async () => {
  expect((await run(...RESOLVE)).code).toBe(EXIT.done);
  symlinkSync(`7 not-${hostname()}`, join(folder, '.xpkg-resolve.writing'));
  expect((await run('tree')).code).toBe(EXIT.done);
});
