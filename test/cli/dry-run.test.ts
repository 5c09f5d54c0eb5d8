import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COMMANDS, runCli } from '../../src/commands.js';
import { EXIT } from '../../src/cli/kit/command.js';
import { fakeIo } from '../support/fake-io.js';

const ROOT = join(import.meta.dirname, '../..');
const FROM = ['--from', `dir:${join(ROOT, 'fixtures/packages')}`];
const SAMPLES = 'fixtures/old-formats/packages/registry.example.org/samples';
const HELM = 'xpkg.example.org/acme-contrib/provider-helm';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'dry-run-'));
});
afterEach(() => rm(cwd, { recursive: true }));

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd, env: { HOME: cwd, XPKG_RESOLVE_CACHE: join(cwd, 'cache') } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes().join('\n') };
}

/** Returns the text of every file below the working folder. */
async function files(): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(cwd, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
  return new Map(
    await Promise.all(
      paths.sort().map(async (path) => [path, await readFile(path, 'latin1')] as const),
    ),
  );
}

/** An index that lacks versions of a package. */
const KNOWN = JSON.stringify({ packages: { [HELM]: { kind: 'Provider', versions: {} } } });

/** Writes a project with a lockfile and rendered manifests, an older lockfile and a newer one. */
async function project(): Promise<void> {
  const set = (version: string) =>
    writeFile(
      join(cwd, 'xpkg.yaml'),
      `apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nmetadata: { name: set }\nspec:\n  crossplane: v1.20.0\n  packages:\n    - { provider: ${HELM}, version: ${version} }\n`,
    );
  await set('v0.19.0');
  expect((await run('resolve', ...FROM)).code).toBe(EXIT.done);
  await cp(join(cwd, 'xpkg.lock.yaml'), join(cwd, 'old.yaml'));
  await set('">=v0.19.0, <v1.0.0"');
  await writeFile(join(cwd, 'known.json'), KNOWN);
  expect((await run('index', '--from', 'index:known.json', '--out', 'known/')).code).toBe(
    EXIT.done,
  );
  const theirs = ['--lock', 'theirs.yaml', '--no-bundle'];
  expect((await run('resolve', ...theirs, ...FROM)).code).toBe(EXIT.done);
}

const CASES: readonly (readonly string[])[] = [
  ['resolve', '--upgrade', '--graph', 'graph.html', ...FROM],
  ['add', 'xpkg.example.org/acme-contrib/provider-kubernetes', ...FROM],
  ['remove', HELM, ...FROM],
  ['set', 'crossplane', 'v2.0.0', ...FROM],
  ['update', ...FROM],
  ['render', '--pin', 'digest'],
  ['render', '--plan', 'plan', '--old', 'old.yaml'],
  ['graph', '--out', 'graph.html'],
  ['plan', 'old.yaml', 'xpkg.lock.yaml', '--out', 'plan'],
  ['convert', join(ROOT, SAMPLES, 'app-blog@v0.1.0'), '--from', `dir:${join(ROOT, SAMPLES)}`],
  ['merge-lock', 'old.yaml', 'xpkg.lock.yaml', 'theirs.yaml', '-f', 'xpkg.yaml', ...FROM],
  ['vendor', 'vendored', ...FROM],
  ['bundle', 'all.tar', ...FROM],
  ['index', '--out', 'index.json', ...FROM],
  ['index', '--out', 'parts/', ...FROM],
  ['index', 'update', 'known.json', ...FROM],
  ['index', 'update', 'known/', ...FROM],
  ['cache', 'clean'],
];

test.each(CASES)(
  '%s %s --dry-run writes nothing, and says what would be written',
  async (...argv) => {
    await project();
    await cp(join(cwd, 'xpkg.yaml'), join(cwd, 'cache/v1/blobs/sha256/0'), { recursive: true });
    const before = await files();
    const dry = await run(...argv, '--dry-run');
    expect({ ...dry, files: await files() }).toMatchObject({ code: EXIT.done, files: before });
    expect(dry.notes).toMatch(/\bwould \w+/);
    expect(dry.notes).not.toMatch(/^(?:wrote|vendored|merged|cleaned|removed|added|moved|set)\b/m);
    expect(await run(...argv, '--no-write')).toEqual(dry);
    // The same command writes without the flag.
    const wet = await run(...argv);
    expect(wet).toMatchObject({ code: EXIT.done });
    expect(await files()).not.toEqual(before);
  },
);

test('remove --dry-run warns of what would no longer be required', async () => {
  await project();
  const { notes } = await run('remove', HELM, ...FROM, '--dry-run');
  expect(notes).toContain('warning: no input would require the one package of the lockfile');
  expect(notes).not.toMatch(/no input requires/);
  expect((await run('remove', HELM, ...FROM)).notes).toContain('no input requires the one package');
});

test('the cases contain every command with --no-write', async () => {
  const loaded = await Promise.all(
    COMMANDS.map(async ({ usage, load }) => ({ name: usage.split(' ')[0]!, it: await load() })),
  );
  const writing = loaded.filter(({ it }) => 'write' in it.flags).map(({ name }) => name);
  const tried = new Set(CASES.map(([name]) => name));
  // `init` and `import` need a folder without a project, `push` writes to a registry.
  expect(writing.filter((name) => !tried.has(name)).sort()).toEqual(['import', 'init', 'push']);
});

test('init --dry-run prints the file and writes nothing', async () => {
  const { code, stdout } = await run('init', '--crossplane', 'v1.20.0', '--dry-run');
  expect(code).toBe(EXIT.done);
  expect(stdout).toContain('kind: PackageSet');
  expect((await files()).size).toBe(0);
});
