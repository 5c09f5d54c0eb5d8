import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import { largeLockfile } from './sample-graphs.js';
import { fakeIo } from '../../support/fake-io.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures');
const CONTRIB = 'xpkg.example.org/acme-contrib';
let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'graph-'));
});

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd, env: { ...process.env, HOME: cwd } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes().join('\n') };
}

const resolve = (...words: readonly string[]) =>
  run('resolve', ...words, '--from', `dir:${FIXTURES}/packages`, '--crossplane', 'v1.20.11');

const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd });

test('a lockfile is compared with the one in git', async () => {
  await resolve(`${CONTRIB}/provider-helm@v0.19.0`);
  git('init', '-q');
  git('add', 'xpkg.lock.yaml');
  git('commit', '-qm', 'one');
  await resolve(`${CONTRIB}/provider-helm@v0.21.0`, '--upgrade');
  const { code, stdout } = await run('graph', '--diff', 'HEAD', '-o', 'mermaid');
  expect(code).toBe(0);
  expect(stdout).toMatch(/v0\.19\.0.*v0\.21\.0/);
});

test('a file that is not a lockfile is a usage error', async () => {
  await resolve(`${CONTRIB}/provider-helm@v0.21.0`);
  const { code, notes } = await run('graph', '--diff', 'nowhere');
  expect(code).toBe(2);
  expect(notes).toContain('`nowhere` is no lockfile');
});

test('`resolve --graph` draws a refusal, and writes nothing else', async () => {
  const demo = ['-f', join(FIXTURES, 'demo')];
  const newer = 'xpkg.example.org/acme/configuration-network@>=v2.0.0';
  const { code, notes } = await resolve(...demo, newer, '--graph', 'why.svg');
  expect(code, notes).toBe(3);
  expect(await readFile(join(cwd, 'why.svg'), 'utf8')).toContain('configuration-network');
  expect(existsSync(join(cwd, 'xpkg.lock.yaml'))).toBe(false);
});

test('there is a warning if Mermaid would refuse to draw a graph', async () => {
  await writeFile(join(cwd, 'large.yaml'), formatLockfile(largeLockfile()));
  const large = await run('graph', '--lock', 'large.yaml');
  expect(large).toMatchObject({ code: 0 });
  expect(large.notes).toMatch(/it has \d+ edges, and Mermaid draws fewer than 500/);
  expect((await run('graph', '--lock', 'large.yaml', '-o', 'dot')).notes).toBe('');
  await resolve(`${CONTRIB}/provider-helm@v0.21.0`);
  expect((await run('graph')).notes).toBe('');
});
