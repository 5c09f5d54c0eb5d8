import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { parseLockfile } from '../../../src/project/lockfile/parse-lockfile.js';
import { fakeIo } from '../../support/fake-io.js';
import { providers, type Versions } from '../../support/universes.js';

const HOST = 'xpkg.example.org/acme';
const NAMES = ['a', 'b', 'c', 'd'];

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'merge-lock-'));
  const packages = NAMES.map((name) => [`${HOST}/${name}`, versions(name)] as const);
  write('index.json', JSON.stringify(providers(Object.fromEntries(packages))));
});

afterEach(() => rmSync(cwd, { recursive: true }));

function versions(letter: string) {
  const digests = ['v1.0.0', 'v1.1.0', 'v1.2.0', 'v1.3.0'].map((version, i) => [
    version,
    { digest: `sha256:${letter.repeat(63)}${i}` },
  ]);
  return Object.fromEntries(digests) as Versions;
}

function write(file: string, text: string): void {
  writeFileSync(join(cwd, file), text);
}

async function run(...words: string[]) {
  const io = fakeIo({ cwd });
  const code = await runCli([...words, '--from', 'index:index.json'], io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

function set(packages: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(packages).map(
    ([name, version]) => `    - provider: ${HOST}/${name}\n      version: "${version}"\n`,
  );
  return `apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec:\n  crossplane: v2.0.2\n  packages:\n${entries.join('')}`;
}

/** Writes a lockfile with these packages and versions. */
async function locked(file: string, versions: Readonly<Record<string, string>>): Promise<void> {
  write('xpkg.yaml', set(versions));
  const { code } = await run('resolve', '--lock', file, '--out', 'unused');
  expect(code).toBe(EXIT.done);
}

function versionsIn(file: string): Readonly<Record<string, string>> {
  const { packages } = parseLockfile(readFileSync(join(cwd, file), 'utf8'), file);
  return Object.fromEntries(packages.map((p) => [p.repository.split('/').at(-1)!, p.version]));
}

test('keeps equal versions, versions that one side changed, and the newer of two changes', async () => {
  await locked('base', { a: 'v1.0.0', b: 'v1.0.0', c: 'v1.0.0' });
  await locked('ours', { a: 'v1.0.0', b: 'v1.1.0', c: 'v1.2.0' });
  await locked('theirs', { a: 'v1.0.0', b: 'v1.0.0', c: 'v1.1.0', d: 'v1.0.0' });
  write('xpkg.yaml', set({ a: '^v1.0.0', b: '^v1.0.0', c: '^v1.0.0', d: '^v1.0.0' }));
  const { code, stderr } = await run('merge-lock', 'base', 'ours', 'theirs');
  expect(stderr).toContain('merged xpkg.lock.yaml');
  expect(code).toBe(EXIT.done);
  expect(versionsIn('ours')).toEqual({ a: 'v1.0.0', b: 'v1.1.0', c: 'v1.2.0', d: 'v1.0.0' });
});

test('merges lockfiles that both sides added; xpkg.yaml decides', async () => {
  write('base', '');
  await locked('ours', { a: 'v1.0.0' });
  await locked('theirs', { a: 'v1.1.0' });
  write('xpkg.yaml', set({ a: '~v1.0.0' }));
  expect((await run('merge-lock', 'base', 'ours', 'theirs')).code).toBe(EXIT.done);
  expect(versionsIn('ours')).toEqual({ a: 'v1.0.0' });
});

test('the path determines the folder of xpkg.yaml', async () => {
  for (const file of ['base', 'ours', 'theirs']) await locked(file, { a: 'v1.0.0' });
  rmSync(join(cwd, 'xpkg.yaml'));
  mkdirSync(join(cwd, 'envs'));
  write('envs/xpkg.yaml', set({ a: '*' }));
  const args = ['base', 'ours', 'theirs', 'envs/xpkg.lock.yaml', '-o', 'json'];
  const { code, stdout } = await run('merge-lock', ...args);
  expect(code).toBe(EXIT.done);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'solved', packages: [{ version: 'v1.0.0' }] });
});

test.each([
  {
    why: 'there is no solution',
    asked: { a: '>=v9.0.0' },
    code: EXIT.unsolvable,
    says: '>=v9.0.0',
  },
  {
    why: 'xpkg.yaml is not merged yet',
    asked: { a: '*', b: '*' },
    code: EXIT.badInput,
    says: `asks for ${HOST}/b`,
  },
])('writes nothing if $why, so that git reports a conflict', async ({ asked, code, says }) => {
  await locked('base', { a: 'v1.0.0' });
  await locked('ours', { a: 'v1.1.0' });
  await locked('theirs', { a: 'v1.2.0' });
  write('xpkg.yaml', set(asked));
  const before = readFileSync(join(cwd, 'ours'), 'utf8');
  const given = await run('merge-lock', 'base', 'ours', 'theirs');
  expect(given.code).toBe(code);
  expect(given.stderr).toContain(says);
  expect(readFileSync(join(cwd, 'ours'), 'utf8')).toBe(before);
});

test.each([
  { args: ['base', 'ours', 'gone'], says: 'gone' },
  { args: ['base', 'ours'], says: 'theirs' },
])('$args is exit 2', async ({ args, says }) => {
  await locked('ours', { a: 'v1.0.0' });
  const { code, stderr } = await run('merge-lock', ...args);
  expect(code).toBe(EXIT.badInput);
  expect(stderr).toContain(says);
});

function digest(letter: string, last: string): string {
  return `sha256:${letter.repeat(63)}${last}`;
}

/** Changes the digest of version v1.0.0 of `a` in a lockfile. */
function edit(file: string): void {
  const text = readFileSync(join(cwd, file), 'utf8');
  write(file, text.replace(digest('a', '0'), digest('e', '0')));
}

describe('digests of the sides', () => {
  beforeEach(async () => {
    for (const file of ['base', 'ours', 'theirs']) await locked(file, { a: 'v1.0.0' });
  });

  test.each([
    { why: 'theirs was edited', prepare: () => edit('theirs') },
    { why: 'ours was edited', prepare: () => edit('ours') },
    { why: 'the tag was moved', prepare: () => edit('index.json') },
    {
      why: 'the tag was moved, and one side was edited to a third image',
      prepare: () => {
        const text = readFileSync(join(cwd, 'theirs'), 'utf8');
        write('theirs', text.replace(digest('a', '0'), digest('f', '0')));
        edit('index.json');
      },
    },
  ])('writes nothing if $why', async ({ prepare }) => {
    prepare();
    const before = readFileSync(join(cwd, 'ours'), 'utf8');
    const { code, stderr } = await run('merge-lock', 'base', 'ours', 'theirs');
    expect([code, stderr]).toEqual([EXIT.lockMismatch, expect.stringContaining('SECURITY')]);
    expect(readFileSync(join(cwd, 'ours'), 'utf8')).toBe(before);
  });

  test.each(['ours', 'theirs'])('takes a moved tag that %s accepted', async (side) => {
    edit('index.json');
    edit(side);
    expect((await run('merge-lock', 'base', 'ours', 'theirs')).code).toBe(EXIT.done);
    expect(readFileSync(join(cwd, 'ours'), 'utf8')).toContain(digest('e', '0'));
  });

  test.each(['base', 'ours', 'theirs'])('does not read %s without an end', async (side) => {
    rmSync(join(cwd, side));
    symlinkSync('/dev/zero', join(cwd, side));
    const { code, stderr } = await run('merge-lock', 'base', 'ours', 'theirs');
    expect([code, stderr]).toEqual([EXIT.badInput, expect.stringContaining(`\`${side}\``)]);
  });
});
