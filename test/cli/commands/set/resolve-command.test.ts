import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../../src/cli/exit-code.js';
import { runCli } from '../../../../src/cli/run.js';
import { fakeIo } from '../../../support/fake-io.js';

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

test('writes lockfile and bundle, the same bytes every time', async () => {
  expect(await run()).toMatchObject({ code: EXIT.done });
  expect(written()).toEqual(OUTPUTS);
  const bytes = () =>
    OUTPUTS.filter((f) => f.includes('.')).map((f) => readFileSync(join(folder, f), 'utf8'));
  const before = bytes();
  expect(await run()).toMatchObject({ code: EXIT.done });
  expect(bytes()).toEqual(before);
});

test('--no-write answers and writes nothing', async () => {
  const { code, stdout } = await run('--no-write');
  expect(code).toBe(EXIT.done);
  expect(stdout).toContain('v1.1.0');
  expect(written()).toEqual(INPUTS);
});

test('-o json is one document in the shape of the contract', async () => {
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

test('--out - prints the bundle alone', async () => {
  const { stdout } = await run('--out', '-', '--no-write');
  expect(stdout).toContain(`package: ${B}:v1.1.0`);
  expect(stdout).not.toContain('kind: Lock');
});

describe('an unsolvable set', () => {
  beforeEach(() =>
    packageSet([
      { provider: A, version: '*' },
      { provider: B, version: '<v1.0.0' },
    ]),
  );

  test('is exit 3, explained, and writes nothing', async () => {
    const { code, stdout, stderr } = await run();
    expect(code).toBe(EXIT.unsolvable);
    expect(stdout).toBe('');
    expect(stderr).toContain(B);
    expect(stderr).toContain('<v1.0.0');
    expect(written()).toEqual(INPUTS);
  });

  test('is data with -o json', async () => {
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

  test('leaves files that are there untouched', async () => {
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

  test('what is locked stays', async () => {
    expect((await run('--no-write')).stdout).toContain('v1.1.0');
  });

  test('--upgrade moves it, and says so', async () => {
    const { stdout, stderr } = await run('--upgrade');
    expect(stdout).toContain('v1.2.0');
    expect(stderr).toContain(`moved ${B} v1.1.0 → v1.2.0`);
  });

  test('--locked passes while nothing changes, and says that the lockfile was not written', async () => {
    const { code, stderr } = await run('--locked');
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('xpkg.lock.yaml and rendered/ are up to date');
  });

  test('--locked is exit 4 and names the change', async () => {
    packageSet([
      { provider: A, version: '*' },
      { provider: B, version: '>=v1.2.0' },
    ]);
    const { code, stderr } = await run('--locked');
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toContain(`${B} v1.1.0 → v1.2.0`);
  });

  test('--frozen asks no source', async () => {
    const { code, stdout } = await run('--frozen', '--from', 'index:gone.json');
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain('v1.1.0');
  });

  test.each([
    { asked: '>=v2.0.0', code: EXIT.done, why: 'the range admits what is locked' },
    { asked: '2.3.4', code: EXIT.done, why: 'the same release, spelled otherwise' },
    { asked: '<v2.0.0', code: EXIT.lockMismatch, why: 'the range does not' },
    { asked: 'v2.3.3', code: EXIT.lockMismatch, why: 'another release' },
    { asked: 'nonsense', code: EXIT.badInput, why: 'neither a release nor a range' },
  ])('--frozen --crossplane $asked is exit $code: $why', async ({ asked, code }) => {
    expect(await run('--frozen', '--crossplane', asked)).toMatchObject({ code });
  });

  test('--frozen is exit 4 where the lockfile does not answer', async () => {
    packageSet([{ provider: A, version: '>=v2.0.0' }]);
    expect(await run('--frozen')).toMatchObject({ code: EXIT.lockMismatch });
  });
});

test.each([
  { args: ['--locked'], code: EXIT.lockMismatch, why: 'there is no lockfile' },
  { args: ['--locked', '--frozen'], code: EXIT.badInput, why: 'one excludes the other' },
  { args: ['--lock', 'a', '--lock', 'b'], code: EXIT.badInput, why: 'there is one lockfile' },
  { args: ['-o', 'json', '-o', 'text'], code: EXIT.badInput, why: 'there is one answer' },
  { args: ['--timeout', 'soon'], code: EXIT.badInput, why: 'not a number' },
  { args: ['--timeout', '-1'], code: EXIT.badInput, why: 'no time at all' },
  { args: ['--frobnicate'], code: EXIT.badInput, why: 'no such flag' },
  { args: ['--crossplane', 'nonsense'], code: EXIT.badInput, why: 'no version, no range' },
  { args: ['--crossplane', '>=v99.0.0'], code: EXIT.badInput, why: 'no such release' },
  { args: ['-f', 'gone.yaml'], code: EXIT.badInput, why: 'no such file' },
  { args: ['--from', 'index:gone.json'], code: EXIT.badInput, why: 'no such index' },
  { args: ['--from', 'ftp:x'], code: EXIT.badInput, why: 'no such kind of source' },
])('$args is exit $code ($why), says so and writes nothing', async ({ args, code }) => {
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

test('files may be repeated, and do not swallow the packages named after them', async () => {
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

test('a digest that no source knows is locked only on request', async () => {
  index({ [A]: { 'v1.0.0': {} } });
  expect(await run()).toMatchObject({ code: EXIT.badInput });
  expect(await run('--out', '-')).toMatchObject({ code: EXIT.badInput, stdout: '' });
  expect(written()).toEqual(INPUTS);
  expect(await run('--no-write')).toMatchObject({ code: EXIT.done });
  expect(await run('--allow-undigested')).toMatchObject({ code: EXIT.done });
});

test('that a digest is missing to `lock.yaml` is said where it would be written', async () => {
  index({ [A]: { 'v1.0.0': {} } });
  const warning = '`lock.yaml` is not written';
  expect((await run('--no-write')).stderr).not.toContain(warning);
  expect((await run('--allow-undigested', '--no-bundle')).stderr).not.toContain(warning);
  expect((await run('--allow-undigested')).stderr).toContain(warning);
});

test('a set says once and for all that versions without a digest may be locked', async () => {
  index({ [A]: { 'v1.0.0': {} } });
  const set = JSON.parse(readFileSync(join(folder, 'xpkg.yaml'), 'utf8')) as { spec: object };
  const spec = { ...set.spec, allowUndigested: true };
  writeFileSync(join(folder, 'xpkg.yaml'), JSON.stringify({ ...set, spec }));
  expect(await run()).toMatchObject({ code: EXIT.done });
  expect(await run('--locked')).toMatchObject({ code: EXIT.done });
});

describe('--explain says who asks for a package', () => {
  test('an entry of a file, by its place, and a package', async () => {
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

  test('of what is frozen, too', async () => {
    await run();
    expect((await run('--frozen', '--explain')).stderr).toContain('requires `>=v1.0.0`');
  });
});

test('a release that is not known is a warning', async () => {
  const { stderr } = await run('--no-write', '--crossplane', 'v9.9.9');
  expect(stderr).toMatch(/^warning: .*v9\.9\.9/m);
});

test('packages can be named on the command line', async () => {
  const { stdout } = await run('--no-write', `${B}:v1.0.0`);
  expect(stdout).toContain('v1.0.0');
});

test('--prefer lowest takes the oldest that fits', async () => {
  expect((await run('--no-write', '--prefer', 'lowest')).stdout).toMatch(/acme\/b +v1\.0\.0/);
});

test('the demo of the README resolves', async () => {
  const io = fakeIo({ cwd: folder });
  const demo = resolve('fixtures/demo');
  const from = `dir:${resolve('fixtures/packages')}`;
  expect(await runCli(['resolve', '-f', demo, '--from', from], io)).toBe(EXIT.done);
});

describe('a search that runs out of time', () => {
  /** More packages than CRDs to own: hopeless, and long to prove so. */
  beforeEach(() => {
    const repositories = Array.from({ length: 9 }, (_, i) => `xpkg.example.org/acme/p${i}`);
    const versions = Array.from({ length: 8 }, (_, i) => [
      `v1.${i}.0`,
      { digest: DIGEST('a'), crds: [`k${i}s.acme.io`] },
    ]);
    index(Object.fromEntries(repositories.map((one) => [one, Object.fromEntries(versions)])));
    packageSet(repositories.map((provider) => ({ provider, version: '*' })));
  });

  test('is exit 7, says so, and writes nothing', async () => {
    const { code, stdout, stderr } = await run('--timeout', '0');
    expect(code).toBe(EXIT.gaveUp);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: gave up after \d+ conflicts/m);
    expect(written()).toEqual(INPUTS);
  });

  test('is a status of its own in JSON, not "unsolvable"', async () => {
    const { code, stdout } = await run('--timeout', '0', '-o', 'json');
    expect(code).toBe(EXIT.gaveUp);
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, status: 'gave-up' });
  });
});
