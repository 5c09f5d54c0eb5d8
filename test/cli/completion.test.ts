import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/kit/command.js';
import { runCli } from '../../src/commands.js';
import { fakeIo } from '../support/fake-io.js';

const ROOT = join(import.meta.dirname, '../..');
const FROM = ['--from', `dir:${join(ROOT, 'fixtures/packages')}`];
let cwd: string;

async function run(...args: string[]) {
  const io = fakeIo({ cwd, env: { HOME: cwd } });
  const code = await runCli(args, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

async function replies(...words: string[]): Promise<string[]> {
  const { code, stdout, notes } = await run('--complete', ...words);
  expect(code).toBe(EXIT.done);
  expect(notes).toEqual([]);
  return stdout.split('\n').filter((line) => line !== '');
}

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'completion-'));
  await cp(join(ROOT, 'fixtures/demo'), join(cwd, 'demo'), { recursive: true });
  const io = fakeIo({ cwd, env: { HOME: cwd } });
  expect(await runCli(['resolve', '-f', 'demo', ...FROM], io)).toBe(EXIT.done);
});

test.each(['bash', 'zsh', 'fish'])(
  '%s gets a script that requests completions from this tool',
  async (shell) => {
    const { code, stdout } = await run('completion', shell);
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain('xpkg-resolve --complete ');
  },
);

test('the default is the shell of the environment', async () => {
  const io = fakeIo({ env: { SHELL: '/usr/bin/fish' } });
  await runCli(['completion'], io);
  expect(io.stdout()).toBe((await run('completion', 'fish')).stdout);
});

test.each([
  { words: ['res'], offers: ['resolve'] },
  { words: ['help', 'mat'], offers: ['matrix'] },
  { words: ['resolve', '--crossplane-'], offers: ['--crossplane-versions'] },
  { words: ['resolve', '--no-w'], offers: ['--no-write'] },
  { words: ['resolve', '-o', ''], offers: ['text', 'json'] },
  { words: ['tree', '--lock', ''], offers: [] },
  { words: ['cache', 'd'], offers: ['dir'] },
  { words: ['why', 'provider-he'], offers: ['provider-helm'] },
  { words: ['why', 'databases.'], offers: ['databases.platform.acme.example.org'] },
  { words: ['remove', 'provider-he'], offers: ['provider-helm'] },
  { words: ['set', 'cross'], offers: ['crossplane'] },
  { words: ['-f', 'demo', 'res'], offers: ['resolve'] },
  { words: ['-f', 'tree', 'why', 'provider-he'], offers: ['provider-helm'] },
  { words: ['--output', 'j'], offers: ['json'] },
  { words: ['-qo', 'y'], offers: ['yaml'] },
  { words: ['--col'], offers: ['--color'] },
  { words: ['nonsense', ''], offers: [] },
])('$words completes to $offers', async ({ words, offers }) => {
  expect((await replies(...words)).sort()).toEqual(offers.sort());
});

test('versions come from sources that need no network', async () => {
  expect(await replies('update', ...FROM, 'provider-helm@v0.')).toEqual([
    'provider-helm@v0.21.0',
    'provider-helm@v0.19.0',
  ]);
  expect(await replies('update', 'provider-helm@v0.')).toEqual([]);
});

test('ignores an unreadable lockfile', async () => {
  expect(await replies('why', '--lock', 'demo/xpkg.yaml', '')).toEqual([]);
});
