import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { providerYaml } from '../../support/package-yaml.js';
import { packageImage } from '../../support/registry/image.js';
import { Registry } from '../../support/registry/registry.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cache-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const io = fakeIo({ cwd: folder, env });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

test.each([
  { why: 'the flag comes first', argv: ['--cache', '/flag'], want: '/flag' },
  { why: 'then its own variable', argv: [], env: { XPKG_RESOLVE_CACHE: '/own' }, want: '/own' },
  { why: 'then XDG', argv: [], env: {}, want: '/xdg/xpkg-resolve' },
  {
    why: 'a relative XDG path is ignored',
    argv: [],
    env: { XDG_CACHE_HOME: 'x' },
    want: '/ann/.cache/xpkg-resolve',
  },
  {
    why: 'an empty variable is ignored',
    argv: [],
    env: { XPKG_RESOLVE_CACHE: '', XDG_CACHE_HOME: '' },
    want: '/ann/.cache/xpkg-resolve',
  },
])('the folder: $why', async ({ argv, env, want }) => {
  const all = { XDG_CACHE_HOME: '/xdg', HOME: '/ann', ...env };
  expect(await run(['cache', 'dir', ...argv], all)).toMatchObject({ code: 0, stdout: `${want}\n` });
});

test('reports that no folder can be determined', async () => {
  expect(await run(['cache', 'dir'])).toMatchObject({ code: 2 });
});

describe('a resolve from a registry', () => {
  let registry: Registry;
  const resolve = () => [
    'resolve',
    `${registry.host}/a/p@>=v1.0.0`,
    '--insecure-registry',
    registry.host,
    '--cache',
    'kept',
    '-o',
    'json',
  ];

  beforeEach(async () => {
    registry = await new Registry().start();
    registry.push('a/p', 'v1.0.0', await packageImage(providerYaml('p', 'a.example.org')));
  });

  afterEach(() => registry.stop());

  test('downloads no layer twice, and requests nothing offline', async () => {
    const cold = await run(resolve());
    expect(cold.code).toBe(0);
    const asked = registry.asked.length;
    const warm = await run(resolve());
    expect(registry.asked.slice(asked).filter((line) => line.includes('/blobs/'))).toEqual([]);
    const before = registry.asked.length;
    const offline = await run([...resolve(), '--offline', '--locked']);
    expect(offline.code).toBe(0);
    const packages = [cold, warm, offline].map(({ stdout }) => JSON.parse(stdout).packages);
    expect(packages[1]).toEqual(packages[0]);
    expect(packages[2]).toEqual(packages[0]);
    expect(JSON.parse(offline.stdout).stats.bytes).toBe(0);
    expect(registry.asked).toHaveLength(before);
  });

  test('`info` counts its files and `clean` removes them', async () => {
    await run(resolve());
    const { stdout } = await run(['cache', 'info', '--cache', 'kept', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      schemaVersion: 1,
      blobs: { files: 2 },
      packages: { files: 1 },
      tagLists: [{ name: `${registry.host}/a/p` }],
      quarantine: { files: 0, bytes: 0 },
    });
    const text = await run(['cache', 'info', '--cache', 'kept']);
    expect(text.stdout).toContain(`${registry.host}/a/p: as of 2`);
    expect((await run(['cache', 'clean', '--cache', 'kept'])).code).toBe(0);
    const after = await run(['cache', 'info', '--cache', 'kept', '-o', 'json']);
    expect(JSON.parse(after.stdout)).toMatchObject({ blobs: { files: 0 }, tagLists: [] });
    expect((await run([...resolve(), '--offline'])).code).toBe(5);
  });

  test('rejects a file in place of its folder', async () => {
    await writeFile(join(folder, 'kept'), '');
    expect((await run(resolve())).code).toBe(2);
  });
});
