import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { knownReleases } from '../../../src/crossplane/releases/target.js';
import { fakeIo } from '../../support/fake-io.js';

const PACKAGES = join(import.meta.dirname, '../../../fixtures/packages');
const FROM = ['--from', `dir:${PACKAGES}`];
const HELM = 'xpkg.example.org/acme-contrib/provider-helm';
const NEWEST = knownReleases().at(-1)!;

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'release-'));
});
afterEach(() => rm(cwd, { recursive: true }));

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd, env: { HOME: cwd } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

const writeSet = (crossplane: string | undefined) =>
  writeFile(
    join(cwd, 'xpkg.yaml'),
    [
      'apiVersion: xpkg-resolve.dev/v1alpha1',
      'kind: PackageSet',
      'metadata: { name: set }',
      'spec:',
      ...(crossplane === undefined ? [] : [`  crossplane: ${JSON.stringify(crossplane)}`]),
      `  packages: [{ provider: ${HELM}, version: "*" }]`,
      '',
    ].join('\n'),
  );

/** Command lines that print their Crossplane release. */
const COMMANDS = [
  ['constraint', '^v0.6.0', 'v0.7.0'],
  ['inspect', `${HELM}@v0.19.0`, ...FROM],
  ['lint', `${HELM}@v0.19.0`, ...FROM],
  ['versions', HELM, ...FROM],
];

describe.each(COMMANDS)('%s', (...argv) => {
  const releaseOf = async (...more: readonly string[]) => {
    const { stdout } = await run(...argv, '-o', 'json', ...more);
    const { crossplane, target = crossplane } = JSON.parse(stdout) as Record<string, string>;
    return target;
  };

  test('uses the release of xpkg.yaml, and --crossplane before it', async () => {
    await writeSet('v1.20.0');
    expect(await releaseOf()).toBe('v1.20.0');
    expect(await releaseOf('--crossplane', 'v2.0.2')).toBe('v2.0.2');
  });

  test('for a range, uses the locked release, or else the newest in the range', async () => {
    await writeSet('>=v1.19.0, <v2.0.0');
    const inRange = knownReleases().filter((release) => release.startsWith('v1.'));
    expect(await releaseOf()).toBe(inRange.at(-1));
    expect((await run('resolve', ...FROM, '--crossplane', 'v1.19.0')).code).toBe(EXIT.done);
    expect(await releaseOf()).toBe('v1.19.0');
    await writeSet('>=v2.0.0');
    expect(await releaseOf()).toBe(NEWEST);
  });

  test('uses the locked release if xpkg.yaml names none', async () => {
    await writeSet(undefined);
    expect((await run('resolve', ...FROM, '--crossplane', 'v1.19.0')).code).toBe(EXIT.done);
    expect(await releaseOf()).toBe('v1.19.0');
  });

  test('uses the newest release without a project, and warns if the project is invalid', async () => {
    expect(await releaseOf()).toBe(NEWEST);
    await writeFile(join(cwd, 'xpkg.yaml'), 'kind: [');
    expect(await releaseOf()).toBe(NEWEST);
    expect((await run(...argv)).notes).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^warning: the release of the project is not known: xpkg\.yaml:1/),
        `note: for Crossplane ${NEWEST}, the newest known release`,
      ]),
    );
  });
});

test('a range has the meaning of the release of the project', async () => {
  const satisfied = async () => (await run('constraint', '^v0.2.0', 'v0.3.0')).stdout;
  await writeSet('v2.2.1');
  const before = await satisfied();
  await writeSet('v2.3.4');
  const after = await satisfied();
  expect([before, after]).toEqual([
    (await run('constraint', '^v0.2.0', 'v0.3.0', '--crossplane', 'v2.2.1')).stdout,
    (await run('constraint', '^v0.2.0', 'v0.3.0', '--crossplane', 'v2.3.4')).stdout,
  ]);
  expect(before).not.toBe(after.replaceAll('v2.3.4', 'v2.2.1'));
});

test('compares two packages on the release of the project', async () => {
  await writeSet('v1.20.0');
  const { code, notes } = await run('diff', `${HELM}@v0.19.0`, `${HELM}@v0.21.0`, ...FROM);
  expect(code).toBe(EXIT.done);
  expect(notes).toContain('note: for Crossplane v1.20.0 (xpkg.yaml:5)');
});

test('commands that show a lockfile warn if --crossplane names another release', async () => {
  await writeSet('v1.20.0');
  expect((await run('resolve', ...FROM)).code).toBe(EXIT.done);
  const plain = await run('tree');
  expect(await run('tree', '--crossplane', '1.20.0')).toEqual(plain);
  expect(await run('tree', '--crossplane', '>=v1.19.0')).toEqual(plain);
  const other = await run('--crossplane', 'v2.0.2', 'tree');
  expect(other).toEqual({
    ...plain,
    notes: [
      'warning: `--crossplane v2.0.2` has no effect here: `xpkg.lock.yaml` is for v1.20.0',
      ...plain.notes,
    ],
  });
  expect((await run('tree', '--crossplane', 'nonsense')).code).toBe(EXIT.badInput);
});

const lock = () => join(cwd, 'xpkg.lock.yaml');
const rendered = () => readFile(join(cwd, 'rendered/kustomization.yaml'), 'utf8');

describe('a lockfile of an older version, which wrote 2.0.0', () => {
  let before: string;
  beforeEach(async () => {
    await writeSet('2.0.0');
    expect((await run('resolve', ...FROM)).code).toBe(EXIT.done);
    const text = await readFile(lock(), 'utf8');
    before = text.replace('\ncrossplane: v2.0.0\n', '\ncrossplane: 2.0.0\n');
    expect(before).not.toBe(text);
    await writeFile(lock(), before);
  });

  test.each([
    { argv: ['resolve', '--locked', ...FROM] },
    { argv: ['resolve', '--frozen', ...FROM] },
    { argv: ['check', ...FROM] },
    { argv: ['verify', ...FROM] },
    { argv: ['render', '--check'] },
  ])('$argv.0 $argv.1: is up to date', async ({ argv }) => {
    const manifests = await rendered();
    const { code, notes } = await run(...argv);
    expect([code, notes.join('\n')]).toEqual([
      EXIT.done,
      expect.not.stringContaining('--crossplane'),
    ]);
    expect([await readFile(lock(), 'utf8'), await rendered()]).toEqual([before, manifests]);
  });

  test('resolve --locked still finds other differences', async () => {
    await writeFile(lock(), before.replace('crossplane: 2.0.0', 'crossplane: 2.0.1'));
    expect((await run('resolve', '--locked', ...FROM)).code).toBe(EXIT.lockMismatch);
    await writeFile(lock(), `${before}# comment\n`);
    expect((await run('resolve', '--locked', ...FROM)).code).toBe(EXIT.lockMismatch);
  });

  test('resolve writes v2.0.0', async () => {
    expect((await run('resolve', ...FROM)).code).toBe(EXIT.done);
    expect(await readFile(lock(), 'utf8')).toContain('\ncrossplane: v2.0.0\n');
  });
});

describe('releases are written with v', () => {
  test('by set crossplane', async () => {
    await writeSet('v1.20.0');
    const { code, notes } = await run('set', 'crossplane', '2.0.0', ...FROM);
    expect(code).toBe(EXIT.done);
    expect(notes.join('\n')).toContain('`v2.0.0`');
    expect(await readFile(join(cwd, 'xpkg.yaml'), 'utf8')).toMatch(
      /^ {2}crossplane: "?v2\.0\.0"?$/m,
    );
  });

  test('by init', async () => {
    expect((await run('init', '--crossplane', '2.0.0')).code).toBe(EXIT.done);
    expect(await readFile(join(cwd, 'xpkg.yaml'), 'utf8')).toContain('crossplane: v2.0.0\n');
  });

  test('in the lockfile and in JSON; ranges stay as they are', async () => {
    await writeSet('1.20.0');
    const { stdout } = await run('resolve', ...FROM, '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ crossplane: 'v1.20.0' });
    const lockfile = await readFile(join(cwd, 'xpkg.lock.yaml'), 'utf8');
    expect(lockfile).toContain('crossplane: v1.20.0\n');
    expect((await run('set', 'crossplane', '>=1.20.0', ...FROM)).code).toBe(EXIT.done);
    expect(await readFile(join(cwd, 'xpkg.yaml'), 'utf8')).toContain('>=1.20.0');
  });
});

test('a package command in a subfolder uses the release of the project above it', async () => {
  await writeSet('v1.20.0');
  await mkdir(join(cwd, '.git'));
  await mkdir(join(cwd, 'sub'));
  const io = fakeIo({ cwd: join(cwd, 'sub'), env: { HOME: cwd } });
  expect(await runCli(['constraint', '^v0.6.0', 'v0.7.0'], io)).toBe(EXIT.done);
  expect(io.stdout()).toContain('^v0.6.0 on Crossplane v1.20.0');
});
