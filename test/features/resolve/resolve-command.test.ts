import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';
const DIGEST = (digit: string) => `sha256:${digit.repeat(64)}`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-'));
  index({
    [A]: {
      'v1.0.0': { digest: DIGEST('a'), dependsOn: [{ provider: B, version: '>=v1.0.0' }] },
    },
    [B]: { 'v1.0.0': { digest: DIGEST('b') }, 'v1.1.0': { digest: DIGEST('c') } },
  });
  packageSet([{ provider: A, version: '*' }]);
});

afterEach(() => rmSync(folder, { recursive: true }));

function index(packages: Record<string, Record<string, object>>): void {
  const entries = Object.entries(packages).map(
    ([repository, versions]) => [repository, { kind: 'Provider', versions }] as const,
  );
  const file = { packages: Object.fromEntries(entries) };
  writeFileSync(join(folder, 'index.json'), JSON.stringify(file));
}

function packageSet(packages: object[]): void {
  const set = {
    apiVersion: 'xpkg-resolve.dev/v1alpha1',
    kind: 'PackageSet',
    metadata: { name: 'test' },
    spec: { crossplane: 'v2.3.4', packages },
  };
  writeFileSync(join(folder, 'xpkg.yaml'), JSON.stringify(set));
}

async function run(...args: string[]) {
  const io = fakeIo({ cwd: folder });
  const code = await runCli(['resolve', '--from', 'index:index.json', ...args], io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

function written(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

const INPUTS = ['index.json', 'xpkg.yaml'];
const OUTPUTS = [
  ...INPUTS,
  'rendered',
  join('rendered', 'kustomization.yaml'),
  join('rendered', 'lock.yaml'),
  join('rendered', 'packages.yaml'),
  'xpkg.lock.yaml',
].sort();

test('writes lockfile and manifests with the same bytes every time', async () => {
  expect(await run()).toMatchObject({ code: EXIT.done });
  expect(written()).toEqual(OUTPUTS);
  const bytes = () =>
    OUTPUTS.filter((f) => f.includes('.')).map((f) => readFileSync(join(folder, f), 'utf8'));
  const before = bytes();
  expect(await run()).toMatchObject({ code: EXIT.done });
  expect(bytes()).toEqual(before);
});

test('--no-write prints the answer and writes nothing', async () => {
  const { code, stdout } = await run('--no-write');
  expect(code).toBe(EXIT.done);
  expect(stdout).toContain('v1.1.0');
  expect(written()).toEqual(INPUTS);
});

test('-o json prints one document that matches the schema', async () => {
  const { stdout } = await run('-o', 'json', '--no-write');
  expect(JSON.parse(stdout)).toMatchObject({
    schemaVersion: 1,
    status: 'solved',
    crossplane: 'v2.3.4',
    packages: [
      {
        source: A,
        version: 'v1.0.0',
        digest: DIGEST('a'),
        kind: 'Provider',
        name: 'acme-a',
        direct: true,
      },
      {
        source: B,
        version: 'v1.1.0',
        digest: DIGEST('c'),
        kind: 'Provider',
        name: 'acme-b',
        direct: false,
      },
    ],
    stats: { listed: 2, fetched: 2, bytes: 0, conflicts: 0 },
  });
});

test('--out - prints only the manifests', async () => {
  const { stdout } = await run('--out', '-', '--no-write');
  expect(stdout).toContain(`package: ${B}:v1.1.0`);
  expect(stdout).not.toContain('kind: Lock');
});

describe('an unsolvable project', () => {
  beforeEach(() =>
    packageSet([
      { provider: A, version: '*' },
      { provider: B, version: '<v1.0.0' },
    ]),
  );

  test('exits with 3, explains the conflict and writes nothing', async () => {
    const { code, stdout, stderr } = await run();
    expect(code).toBe(EXIT.unsolvable);
    expect(stdout).toBe('');
    expect(stderr).toContain(B);
    expect(stderr).toContain('<v1.0.0');
    expect(written()).toEqual(INPUTS);
  });

  test('is a JSON document with -o json', async () => {
    const { code, stdout } = await run('-o', 'json');
    const place = expect.stringContaining('xpkg.yaml:') as string;
    expect(code).toBe(EXIT.unsolvable);
    expect(JSON.parse(stdout)).toMatchObject({
      schemaVersion: 1,
      status: 'unsolvable',
      core: [
        { kind: 'missing', path: [place], demand: { by: place, on: B, constraint: '<v1.0.0' } },
      ],
      explanation: expect.stringContaining(B) as string,
    });
  });

  test('keeps existing files', async () => {
    packageSet([{ provider: A, version: '*' }]);
    await run();
    const before = readFileSync(join(folder, 'xpkg.lock.yaml'), 'utf8');
    packageSet([{ provider: B, version: '<v1.0.0' }]);
    expect(await run()).toMatchObject({ code: EXIT.unsolvable });
    expect(readFileSync(join(folder, 'xpkg.lock.yaml'), 'utf8')).toBe(before);
    expect(written()).toEqual(OUTPUTS);
  });
});

describe('with a lockfile', () => {
  beforeEach(async () => {
    await run();
    index({
      [A]: {
        'v1.0.0': { digest: DIGEST('a'), dependsOn: [{ provider: B, version: '>=v1.0.0' }] },
      },
      [B]: { 'v1.1.0': { digest: DIGEST('c') }, 'v1.2.0': { digest: DIGEST('d') } },
    });
  });

  test('keeps locked versions', async () => {
    expect((await run('--no-write')).stdout).toContain('v1.1.0');
  });

  test('--upgrade updates and lists them', async () => {
    const { stdout, stderr } = await run('--upgrade');
    expect(stdout).toContain('v1.2.0');
    expect(stderr).toContain(`moved ${B} v1.1.0 → v1.2.0`);
  });

  test('--locked passes if nothing changes, and states that the lockfile was not written', async () => {
    const { code, stderr } = await run('--locked');
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('xpkg.lock.yaml and rendered/ are up to date');
  });

  test('--locked exits with 4 and names the change', async () => {
    packageSet([
      { provider: A, version: '*' },
      { provider: B, version: '>=v1.2.0' },
    ]);
    const { code, stderr } = await run('--locked');
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toContain(`${B} v1.1.0 → v1.2.0`);
  });

  test('--frozen reads no source', async () => {
    const { code, stdout } = await run('--frozen', '--from', 'index:gone.json');
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain('v1.1.0');
  });

  test.each([
    { asked: '>=v2.0.0', code: EXIT.done, why: 'the range contains the locked release' },
    { asked: '2.3.4', code: EXIT.done, why: 'the same release with another spelling' },
    { asked: '<v2.0.0', code: EXIT.lockMismatch, why: 'the range excludes the locked release' },
    { asked: 'v2.3.3', code: EXIT.lockMismatch, why: 'another release' },
    { asked: 'nonsense', code: EXIT.badInput, why: 'neither a release nor a range' },
  ])('--frozen --crossplane $asked is exit $code: $why', async ({ asked, code }) => {
    expect(await run('--frozen', '--crossplane', asked)).toMatchObject({ code });
  });

  test('--frozen exits with 4 if the lockfile does not satisfy the request', async () => {
    packageSet([{ provider: A, version: '>=v2.0.0' }]);
    expect(await run('--frozen')).toMatchObject({ code: EXIT.lockMismatch });
  });
});

test.each([
  { args: ['--locked'], code: EXIT.lockMismatch, why: 'there is no lockfile' },
  { args: ['--locked', '--frozen'], code: EXIT.badInput, why: 'the flags exclude each other' },
  { args: ['--lock', 'a', '--lock', 'b'], code: EXIT.badInput, why: 'there is one lockfile' },
  { args: ['-o', 'json', '-o', 'text'], code: EXIT.badInput, why: 'there is one answer' },
  { args: ['--timeout', 'soon'], code: EXIT.badInput, why: 'not a number' },
  { args: ['--timeout', '-1'], code: EXIT.badInput, why: 'no time' },
  { args: ['--frobnicate'], code: EXIT.badInput, why: 'an unknown flag' },
  { args: ['--crossplane', 'nonsense'], code: EXIT.badInput, why: 'neither version nor range' },
  { args: ['--crossplane', '>=v99.0.0'], code: EXIT.badInput, why: 'an unknown release' },
  { args: ['-f', 'gone.yaml'], code: EXIT.badInput, why: 'a missing file' },
  { args: ['--from', 'index:gone.json'], code: EXIT.badInput, why: 'a missing index' },
  { args: ['--from', 'ftp:x'], code: EXIT.badInput, why: 'an unknown kind of source' },
])('$args exits with $code ($why), explains it and writes nothing', async ({ args, code }) => {
  const given = await run(...args);
  expect(given.code).toBe(code);
  expect(given.stderr).toMatch(/^error: /m);
  expect(written()).toEqual(INPUTS);
});

test.each(['--locked', '--frozen'])('--upgrade with %s names the two', async (flag) => {
  const { code, stderr } = await run('--upgrade', flag);
  expect(code).toBe(EXIT.badInput);
  expect(stderr).toContain(`\`${flag}\``);
});

test('--file can be repeated and does not consume package names after it', async () => {
  const { code, stdout } = await run(
    '--no-write',
    '-f',
    'xpkg.yaml',
    '-f',
    'xpkg.yaml',
    `${B}:v1.0.0`,
  );
  expect(code).toBe(EXIT.done);
  expect(stdout).toMatch(/acme\/b +v1\.0\.0/);
});

test('locks a digest that no source knows only on request', async () => {
  index({ [A]: { 'v1.0.0': {} } });
  expect(await run()).toMatchObject({ code: EXIT.badInput });
  expect(await run('--out', '-')).toMatchObject({ code: EXIT.badInput, stdout: '' });
  expect(written()).toEqual(INPUTS);
  expect(await run('--no-write')).toMatchObject({ code: EXIT.done });
  expect(await run('--allow-undigested')).toMatchObject({ code: EXIT.done });
});

test('a missing digest for `lock.yaml` is reported for its place', async () => {
  index({ [A]: { 'v1.0.0': {} } });
  const warning = '`lock.yaml` is not written';
  expect((await run('--no-write')).stderr).not.toContain(warning);
  expect((await run('--allow-undigested', '--no-bundle')).stderr).not.toContain(warning);
  expect((await run('--allow-undigested')).stderr).toContain(warning);
});

test('a project can allow versions without a digest', async () => {
  index({ [A]: { 'v1.0.0': {} } });
  const set = JSON.parse(readFileSync(join(folder, 'xpkg.yaml'), 'utf8')) as { spec: object };
  const spec = { ...set.spec, allowUndigested: true };
  writeFileSync(join(folder, 'xpkg.yaml'), JSON.stringify({ ...set, spec }));
  expect(await run()).toMatchObject({ code: EXIT.done });
  expect(await run('--locked')).toMatchObject({ code: EXIT.done });
});

describe('--explain shows the requirers of a package', () => {
  test('an entry of a file, with its line, and a package', async () => {
    const { stderr } = await run('--no-write', '--explain');
    expect(stderr).toContain(`${A} v1.0.0\n  xpkg.yaml:1 asks for \`*\``);
    expect(stderr).toContain(`${B} v1.1.0\n  ${A} v1.0.0 requires \`>=v1.0.0\``);
  });

  test('a local package, which is not itself locked', async () => {
    const local = {
      apiVersion: 'meta.pkg.crossplane.io/v1',
      kind: 'Configuration',
      metadata: { name: 'local' },
      spec: { dependsOn: [{ provider: B, version: '^v1.0.0' }] },
    };
    writeFileSync(join(folder, 'crossplane.yaml'), JSON.stringify(local));
    const { stderr } = await run('--no-write', '--explain', '-f', 'crossplane.yaml');
    expect(stderr).toMatch(/acme\/b v1\.1\.0\n {2}\S.*`\^v1\.0\.0`/);
  });

  test('also with --frozen', async () => {
    await run();
    expect((await run('--frozen', '--explain')).stderr).toContain('requires `>=v1.0.0`');
  });
});

test('warns of an unknown release', async () => {
  const { stderr } = await run('--no-write', '--crossplane', 'v9.9.9');
  expect(stderr).toMatch(/^warning: .*v9\.9\.9/m);
});

const meta = (constraint: string) =>
  `apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: b}\nspec:\n  dependsOn: []\n  crossplane: {version: "${constraint}"}\n`;

const object = (field: string) =>
  `apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: b}\nspec:\n  package: ${B}:v1.0.0\n  ${field}\n`;

describe('errors that depend on the release name the line', () => {
  test.each([
    { text: object('packagePulPolicy: Always'), says: '`spec.packagePulPolicy` is not a field' },
    { text: object('other: 1'), says: '`spec.other` is not a field' },
    { text: meta('one'), says: '`crossplane.version: one` is no constraint' },
  ])('$says', async ({ text, says }) => {
    writeFileSync(join(folder, 'input.yaml'), text);
    const { code, stdout } = await run('-f', 'input.yaml', '--crossplane', 'v2.3.4', '-o', 'json');
    expect(code).toBe(EXIT.badInput);
    const { error } = JSON.parse(stdout) as { error: { message: string } };
    expect(error).toMatchObject({ file: 'input.yaml', line: 6 });
    expect(error.message).toContain(says);
  });

  test('a release that is newer than the tool may have the field', async () => {
    writeFileSync(join(folder, 'input.yaml'), object('other: 1'));
    const { code, stderr } = await run('-f', 'input.yaml', '--crossplane', 'v9.9.9', '--no-write');
    expect([code, stderr]).toEqual([EXIT.done, expect.stringContaining('`spec.other`')]);
  });
});

test('packages can be named on the command line', async () => {
  const { stdout } = await run('--no-write', `${B}:v1.0.0`);
  expect(stdout).toContain('v1.0.0');
});

test('--prefer lowest chooses the oldest versions', async () => {
  expect((await run('--no-write', '--prefer', 'lowest')).stdout).toMatch(/acme\/b +v1\.0\.0/);
});

test('resolves the demo of the README', async () => {
  const io = fakeIo({ cwd: folder });
  const fixtures = join(import.meta.dirname, '../../../fixtures');
  const demo = join(fixtures, 'demo');
  const from = `dir:${join(fixtures, 'packages')}`;
  expect(await runCli(['resolve', '-f', demo, '--from', from], io)).toBe(EXIT.done);
});

describe('a search that exceeds the time limit', () => {
  /** More packages than CRDs to own: unsolvable, with a long proof. */
  beforeEach(() => {
    const repositories = Array.from({ length: 9 }, (_, i) => `xpkg.example.org/acme/p${i}`);
    const versions = Array.from({ length: 8 }, (_, i) => [
      `v1.${i}.0`,
      { digest: DIGEST('a'), crds: [`k${i}s.acme.io`] },
    ]);
    index(Object.fromEntries(repositories.map((one) => [one, Object.fromEntries(versions)])));
    packageSet(repositories.map((provider) => ({ provider, version: '*' })));
  });

  test('exits with 7, explains it and writes nothing', async () => {
    const { code, stdout, stderr } = await run('--timeout', '0');
    expect(code).toBe(EXIT.gaveUp);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: gave up after \d+ conflicts/m);
    expect(written()).toEqual(INPUTS);
  });

  test('has its own status in JSON, not "unsolvable"', async () => {
    const { code, stdout } = await run('--timeout', '0', '-o', 'json');
    expect(code).toBe(EXIT.gaveUp);
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, status: 'gave-up' });
  });
});
