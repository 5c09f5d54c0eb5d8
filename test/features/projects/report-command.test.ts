import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { EACH, FleetFolder, FROM, REGISTRY } from '../../support/fleet-folder.js';

const EXAMPLE = join(
  import.meta.dirname,
  '../../../fixtures/examples/platform-team/published.json',
);
let at: FleetFolder;

beforeEach(async () => {
  at = await FleetFolder.make();
});

afterEach(() => at.remove());

/** Runs all shards, each into its own file, and merges the files. */
async function merged(argv: readonly string[], parts: number, form: string) {
  const files: string[] = [];
  const codes: number[] = [];
  for (let i = 1; i <= parts; i++) {
    const part = await at.run([...argv, '-o', 'json', '--shard', `${i}/${parts}`]);
    files.unshift(`part-${i}.json`);
    codes.push(part.code);
    await at.write(files[0]!, part.stdout);
  }
  return { files, codes, ...(await at.run(['report', 'merge', ...files, '-o', form])) };
}

function needs(version: string): object {
  return { dependsOn: [{ provider: 'xpkg.example.org/acme/c', version }] };
}

function entry(versions: object): object {
  return { kind: 'Provider', versions };
}

async function stderrOf(...files: string[]): Promise<string> {
  return (await at.run(['report', 'merge', ...files])).stderr;
}

async function sets(): Promise<void> {
  await at.set('east', { platform: '>=v1.0.0' });
  await at.set('north', { odd: '*' });
  await at.set('west', { platform: 'v1.0.0' });
  await at.set('zero', { base: '*' });
}

test.each([1, 2, 3, 7])('%d parts of the sets are one run, byte by byte', async (parts) => {
  await sets();
  const argv = ['resolve', ...EACH, ...FROM, '--no-write'];
  for (const form of ['json', 'text']) {
    const whole = await at.run([...argv, '-o', form]);
    const { code, stdout } = await merged(argv, parts, form);
    expect({ code, stdout }).toEqual({ code: whole.code, stdout: whole.stdout });
  }
});

test('detects a shard that is missing, truncated or duplicated', async () => {
  await sets();
  const argv = ['resolve', ...EACH, ...FROM, '--no-write'];
  const { files } = await merged(argv, 2, 'json');
  const fails = async (...names: string[]) => {
    const { code, stderr } = await at.run(['report', 'merge', ...names]);
    expect(code).toBe(EXIT.badInput);
    return stderr;
  };
  expect(await fails(files[0]!)).toContain('nothing is there of part 1/2');
  expect(await fails(...files, files[0]!)).toContain('a set is there twice');
  const text = await at.read(files[0]!);
  await at.write(files[0]!, text.slice(0, text.indexOf('\n') + 1));
  expect(await fails(...files)).toContain('a part is cut short');
  await at.write(files[0]!, text.slice(0, -40));
  expect(await fails(...files)).toContain(`${files[0]}:2`);
});

test.each([1, 3, 5])('%d parts of a matrix are one matrix', async (parts) => {
  const packages = {
    'xpkg.example.org/acme/a': {
      kind: 'Provider',
      versions: { 'v1.0.0': { crossplane: '>=v1.17.0' }, 'v2.0.0': { crossplane: '>=v2.0.0' } },
    },
  };
  await at.write('index.json', JSON.stringify({ packages }));
  const argv = ['matrix', 'xpkg.example.org/acme/a', ...FROM];
  const whole = await at.run([...argv, '-o', 'json']);
  const { code, codes, stdout } = await merged(argv, parts, 'json');
  expect(codes.every((each) => each === EXIT.done)).toBe(true);
  const { rows } = JSON.parse(stdout) as { rows: unknown[] };
  expect(rows.length).toBeGreaterThan(2);
  expect({ code, rows }).toEqual({ code: whole.code, rows: JSON.parse(whole.stdout).rows });
});

test('a matrix without any working combination fails after the merge', async () => {
  const argv = ['matrix', 'xpkg.example.org/acme/nothing', ...FROM];
  const { code, codes } = await merged(argv, 2, 'json');
  expect([code, ...codes]).toEqual([EXIT.unsolvable, EXIT.done, EXIT.done]);
});

test.each([2, 5])('%d parts of a fuzzing are one fuzzing, byte by byte', async (parts) => {
  const roots = ['a', 'b'].map((name) => `xpkg.example.org/acme/${name}`);
  const versions = Object.fromEntries(
    [1, 2, 3, 4].map((major) => [`v${major}.0.0`, needs(`~v${major}.0.0`)]),
  );
  const leaves = Object.fromEntries(Object.keys(versions).map((version) => [version, {}]));
  const packages = {
    [roots[0]!]: entry(versions),
    [roots[1]!]: entry(versions),
    'xpkg.example.org/acme/c': entry(leaves),
  };
  await at.write('index.json', JSON.stringify({ packages }));
  const argv = [
    'fuzz',
    ...roots,
    ...FROM,
    '--seed',
    '3',
    '--runs',
    '40',
    '--crossplane',
    '>=v2.2.0',
  ];
  const whole = await at.run([...argv, '-o', 'json']);
  expect(whole.code).toBe(EXIT.findings);
  expect(JSON.parse(whole.stdout).breakages[0].others.length).toBeGreaterThan(2);
  const { code, stdout } = await merged(argv, parts, 'json');
  expect({ code, stdout }).toEqual({ code: whole.code, stdout: whole.stdout });
});

/** Writes an index in which `a` works on some releases only, and changes its version on others. */
async function moving(): Promise<void> {
  const packages = {
    'xpkg.example.org/acme/a': {
      kind: 'Provider',
      versions: { 'v1.0.0': { crossplane: '>=v1.17.0' }, 'v2.0.0': { crossplane: '>=v2.0.0' } },
    },
  };
  await at.write('index.json', JSON.stringify({ packages }));
}

test.each([1, 3])(
  '%d shards of a matrix are merged into the output of a single run',
  async (parts) => {
    await moving();
    const argv = ['matrix', 'xpkg.example.org/acme/a', ...FROM];
    const whole = await at.run(argv);
    expect(whole.stdout).toContain('works    1 package: a v1.0.0 → v2.0.0');
    expect(whole.stdout).toContain('Packages are from xpkg.example.org/acme.');
    const { code, stdout } = await merged(argv, parts, 'text');
    expect({ code, stdout }).toEqual({ code: whole.code, stdout: whole.stdout });
  },
);

test('merged shards of fuzz equal one run', async () => {
  const names = ['a', 'b'].map((name) => `xpkg.example.org/acme/${name}`);
  const versions = Object.fromEntries(
    [1, 2, 3].map((major) => [`v${major}.0.0`, needs(`~v${major}.0.0`)]),
  );
  const leaves = Object.fromEntries(Object.keys(versions).map((version) => [version, {}]));
  const packages = {
    ...Object.fromEntries(names.map((name) => [name, entry(versions)])),
    'xpkg.example.org/acme/c': entry(leaves),
  };
  await at.write('index.json', JSON.stringify({ packages }));
  const argv = ['fuzz', ...names, ...FROM, '--seed', '3', '--runs', '30'];
  const whole = await at.run([...argv, '--crossplane', '>=v2.2.0']);
  expect(whole.stdout).toMatch(
    /varied, each among .*[^]*breaks: 1[^]*1\. .*[^]*and so do[^]*again:/,
  );
  const { code, stdout } = await merged([...argv, '--crossplane', '>=v2.2.0'], 3, 'text');
  expect({ code, stdout }).toEqual({ code: whole.code, stdout: whole.stdout });
});

test.each([
  ['outdated', 'not at the newest', []],
  ['outdated', 'findings', ['--exit-code']],
  ['lint', 'the set for Crossplane v2.3.4: ', ['--fail-on', 'info']],
  ['matrix', 'works ', []],
  ['verify', 'are as locked', []],
  ['render', ' renders', ['--check']],
  ['resolve', 'packages for Crossplane', ['--no-write']],
  ['update', 'packages for Crossplane', ['--no-write']],
])('merged shards of %s equal one run: %s', async (command, shown, flags) => {
  await sets();
  await at.run(['resolve', ...EACH, ...FROM]);
  await at.set('zero', { base: '*' }, { exclude: [{ package: 'x.example.org/no', version: '*' }] });
  await at.writeIndex(['v1.0.0', 'v1.1.0', 'v1.2.0', 'v1.3.0']);
  const from = command === 'render' ? [] : FROM;
  const argv = [command, ...EACH, ...from, ...flags];
  const whole = await at.run(argv);
  expect(whole.stdout).toMatch(/clusters\/zero\/xpkg.yaml {2}/);
  expect(whole.stdout).toContain(shown);
  const { code, stdout } = await merged(argv, 3, 'text');
  expect({ code, stdout }).toEqual({ code: whole.code, stdout: whole.stdout });
});

/** Writes the JSON output of some commands and merges the files. */
async function mergeOutputs(...runs: readonly (readonly string[])[]) {
  const files: string[] = [];
  for (const [i, argv] of runs.entries()) {
    files.push(`${i}.json`);
    const shard = ['--shard', `${i + 1}/${runs.length}`];
    await at.write(files[i]!, (await at.run([...argv, ...shard, '-o', 'json'])).stdout);
  }
  return at.run(['report', 'merge', ...files]);
}

function matrix(file: string, ...more: string[]): readonly string[] {
  return ['matrix', '-f', file, ...FROM, ...more];
}

function each(command: string, ...more: string[]): readonly string[] {
  return [command, ...EACH, ...FROM, ...more];
}

function fuzz(file: string, ...more: string[]): readonly string[] {
  return ['fuzz', '-f', file, ...FROM, '--seed', '1', ...more];
}

test('rejects shards of different requests', async () => {
  await sets();
  const [east, north] = ['clusters/east/xpkg.yaml', 'clusters/north/xpkg.yaml'];
  const cases: [string, ...(readonly string[])[]][] = [
    ['parts of different files', matrix(east), matrix(north)],
    ['different flags or arguments', matrix(east), matrix(east, '--crossplane', '>=v2.0.0')],
    ['different flags or arguments', matrix(east), matrix(east, `${REGISTRY}/base`)],
    ['parts of `verify` and of `lint`', each('verify'), each('lint')],
    ['different flags or arguments', each('lint'), each('lint', '--strict')],
    ['parts with `--each` and without', each('matrix'), matrix(east)],
    ['parts of `fuzz` and of `matrix`', fuzz(east, '--runs', '1'), matrix(east)],
    ['different flags or arguments', fuzz(east, '--runs', '1'), fuzz(east, '--runs', '2')],
    ['parts of different files', fuzz(east, '--runs', '1'), fuzz(north, '--runs', '1')],
  ];
  for (const [message, ...runs] of cases) {
    const { code, stderr, stdout } = await mergeOutputs(...runs);
    expect(stderr).toContain(message);
    expect([code, stdout]).toEqual([EXIT.badInput, '']);
  }
});

test('a changed project or included file makes a different run', async () => {
  await sets();
  await at.set('zero', {}, { include: ['../common.yaml'] });
  const common = (version: string) =>
    at.write(
      'clusters/common.yaml',
      'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\n' +
        `spec: {packages: [{package: ${REGISTRY}/base, version: ${version}}]}\n`,
    );
  const part = async (i: number) => {
    const argv = ['resolve', ...EACH, ...FROM, '--no-write', '--shard', `${i}/2`, '-o', 'json'];
    await at.write(`${i}.json`, (await at.run(argv)).stdout);
  };
  await common('v1.0.0');
  await part(1);
  await common('v1.1.0');
  await part(2);
  expect(await stderrOf('1.json', '2.json')).toContain('parts of different files');
  await part(1);
  expect((await at.run(['report', 'merge', '1.json', '2.json'])).code).toBe(EXIT.unsolvable);
});

test('settings of a machine make no different run', async () => {
  await sets();
  const file = 'clusters/east/xpkg.yaml';
  const own = ['--concurrency', '2', '--cache', '/tmp/cache', '--timeout', '77', '-q'];
  const inside = ['--from', `index:${join(at.path, 'index.json')}`];
  const elsewhere = join(at.path, file);
  const plain = await mergeOutputs(matrix(file), ['matrix', '-f', elsewhere, ...inside]);
  expect(plain).toMatchObject({ code: EXIT.done, stderr: '' });
  const argv = ['verify', ...EACH, ...FROM];
  const many = await mergeOutputs(argv, [...argv, ...own]);
  expect(many).toMatchObject({ code: EXIT.lockMismatch, stderr: '' });
});

const SHARD = {
  index: 1,
  of: 1,
  command: 'matrix',
  tool: '1.0.0',
  flags: 'sha256:1',
  inputs: 'sha256:2',
};
const MALFORMED: readonly [string, object][] = [
  ['of which run', { shard: { index: 1, of: 1 }, rows: [{}], stats: null }],
  ['`rows[0].from`', { shard: SHARD, rows: [{}], stats: {} }],
  ['`stats`', { shard: SHARD, rows: [], stats: null }],
  ['`rows`', { shard: SHARD, breakages: [], stats: {} }],
  ['`shard.command`', { shard: { ...SHARD, command: '__proto__' }, rows: [] }],
  ['`shard.command`', { shard: { ...SHARD, command: 'resolve' }, rows: [] }],
  ['`shard.index`', { shard: { ...SHARD, index: 3 }, rows: [], stats: {} }],
  ['`shard.index`', { shard: { ...SHARD, of: 1e9 }, rows: [], stats: {} }],
  ['`shard`', { shard: 7 }],
  ['`seed`', { shard: { ...SHARD, command: 'fuzz' } }],
  ['`set`', { shard: { ...SHARD, sets: 1, command: 'verify' }, exitCode: 0, headline: '' }],
  [
    '`findings[0].rule`',
    {
      shard: { ...SHARD, sets: 1, command: 'lint' },
      set: 'a',
      exitCode: 0,
      headline: '',
      findings: [{}],
    },
  ],
];

test.each(MALFORMED)(
  'output that no shard prints is invalid input: %s',
  async (place, document) => {
    await at.write('part.json', JSON.stringify({ schemaVersion: 1, ...document }));
    const { code, stderr } = await at.run(['report', 'merge', 'part.json']);
    expect(stderr).toMatch(/^error: part.json:1: /);
    expect(stderr).toContain(place);
    expect(code).toBe(EXIT.badInput);
  },
);

test('rejects shards with other seeds or counts', async () => {
  const argv = ['fuzz', 'xpkg.upbound.io/x/y', '--from', `index:${EXAMPLE}`, '--runs', '1'];
  const part = async (name: string, ...more: string[]) =>
    at.write(name, (await at.run([...argv, '-o', 'json', ...more])).stdout);
  await part('a', '--seed', '1', '--shard', '1/2');
  await part('b', '--seed', '2', '--shard', '2/2');
  await part('c', '--seed', '1', '--shard', '2/3');
  expect(await stderrOf('a', 'b')).toContain('different seeds');
  expect(await stderrOf('a', 'c')).toContain('parts of 2 and parts of 3');
  expect(await stderrOf('a')).toContain('part 2/2 is missing');
});
