import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { digestOf } from '../../support/lockfiles.js';
import { providers, requiring } from '../../support/universes.js';

const [A, B, C] = ['a', 'b', 'c'].map((name) => `xpkg.example.org/acme/${name}`) as [
  string,
  string,
  string,
];
const V1 = 'v1.0.0';
const digest = digestOf('any');
const PROVIDER = {
  apiVersion: 'pkg.crossplane.io/v1',
  kind: 'Provider',
  metadata: { name: 'mine', uid: '1' },
  spec: { package: `${B}:${V1}` },
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-'));
  const universe = providers({
    [A]: { [V1]: { ...requiring({ [C]: '>=1.0.0' }), digest } },
    [B]: { [V1]: { ...requiring({ [C]: '<2.0.0' }), digest } },
    [C]: { 'v1.5.0': { digest }, 'v2.0.0': { digest: digestOf('other') } },
  });
  writeFileSync(join(folder, 'index.json'), JSON.stringify(universe));
});

afterEach(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) => runOn({}, ...args);

async function runOn(given: { readonly stdin?: string }, ...args: string[]) {
  return runWithoutRelease(given, ...args, '--crossplane', 'v2.3.4');
}

/** Runs the command like `run`, without a release. */
async function runWithoutRelease(given: { readonly stdin?: string }, ...args: string[]) {
  const io = fakeIo({ cwd: folder, ...given });
  const [name, ...rest] = args;
  const code = await runCli([name!, ...rest, '--from', 'index:index.json'], io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

test('prints the steps to the stuck state, other orders, and the comparison with the lockfile', async () => {
  await run('resolve', A, B);
  const { code, stdout } = await run('simulate', A, B, '--orders', '20', '--compare');
  expect(code).toBe(EXIT.done);
  expect(stdout).toBe(
    [
      `1. ${A} ${V1}: applied`,
      `2. ${B} ${V1}: applied`,
      `3. ${C} v2.0.0: installed`,
      `   because ${A} ${V1} requires \`>=1.0.0\``,
      `4. ${B} ${V1}: cannot resolve package dependencies: incompatible dependencies:`,
      `   existing package ${C}@v2.0.0 is incompatible with constraint <2.0.0`,
      `   because of its own checks`,
      '',
      'stuck on Crossplane v2.3.4: 1 of 3 packages not healthy',
      `  Provider acme-b (${B}:${V1}): Healthy=False`,
      `    Package revision health is "False" with message: cannot resolve package dependencies:`,
      `    incompatible dependencies: existing package ${C}@v2.0.0 is incompatible with`,
      '    constraint <2.0.0',
      '',
      '20 other orders of arrival: 6 of them as above, 1 other end',
      '  in 14 of them, healthy on Crossplane v2.3.4: 3 packages',
      `    + ${C}:v1.5.0`,
      `    - ${C}:v2.0.0`,
      '',
      'not as locked:',
      `  ${C}: locked v1.5.0, in the cluster v2.0.0`,
      '',
    ].join('\n'),
  );
  const json = await run('simulate', A, B, '--orders', '20', '-o', 'json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    orders: { tried: 20, same: 6, otherEnds: [{ orders: 14 }] },
  });
});

test('applying locked versions ends as locked, in any order', async () => {
  await run('resolve', A, B);
  const all = await run('simulate', '--all', '--orders', '5', '--compare', '--exit-code');
  expect(all.code).toBe(EXIT.done);
  expect(all.stdout.split('\n').slice(-6)).toEqual([
    'healthy on Crossplane v2.3.4: 3 packages',
    '',
    '5 other orders of arrival: all end as above',
    '',
    'as locked',
    '',
  ]);
  const roots = await run('simulate', A, B, '--locked', '--exit-code');
  expect(roots.code).toBe(EXIT.findings);
});

test('continues a cluster from a dump or from an applied lockfile', async () => {
  await run('resolve', A, B);
  const on = await run('simulate', '--onto', 'xpkg.lock.yaml');
  expect(on.stdout).toBe('healthy on Crossplane v2.3.4: 3 packages\n');
  writeFileSync(join(folder, 'dump.json'), JSON.stringify(PROVIDER));
  const dumped = await run('simulate', '--onto', 'dump.json');
  expect(dumped.stdout).toContain(`1. ${C} v1.5.0: installed\n   because ${B} ${V1} requires`);
});

test.each(['tag', 'digest', 'locked'])(
  'what is rendered with --pin %s is as locked',
  async (pin) => {
    await run('resolve', A, B);
    const flags = ['--all', '--pin', pin, '--compare', '--exit-code'];
    const { code, stdout } = await run('simulate', ...flags);
    expect([code, stdout]).toEqual([EXIT.done, expect.stringContaining('as locked')]);
  },
);

test.each([
  ['v2.0.2', 'v2.0.2'],
  ['v2.3.4', 'v2.3.4'],
  ['v2.4.0-rc.0', 'v2.4.0-rc.0'],
  ['v1.20.11', 'v2.3.4'],
])('CRDs of a cluster of %s belong to their providers on %s', async (dumped, crossplane) => {
  const fixtures = new URL('../../../fixtures/', import.meta.url).pathname;
  const onto = ['--onto', join(fixtures, 'dumps', `${dumped}.yaml`), '--crossplane', crossplane];
  const from = ['--from', `dir:${join(fixtures, 'packages')}`, '-o', 'json'];
  const { code, stdout } = await runWithoutRelease({}, 'simulate', ...onto, ...from);
  expect(code).toBe(EXIT.done);
  expect(JSON.parse(stdout)).toMatchObject({ hidden: [] });
});

describe('the value of --onto', () => {
  test.each([
    ['its Lock alone', { spec: { package: `${B}:${V1}` } }, 'its revision'],
    ['the name of one', { status: { currentRevision: 'mine-1' } }, 'its revision `mine-1`'],
  ])('is rejected if packages have no revisions: %s', async (_, more, which) => {
    const row = { name: 'mine-1', kind: 'Provider', source: B, version: V1, dependencies: [] };
    const lock = { apiVersion: 'pkg.crossplane.io/v1beta1', kind: 'Lock', packages: [row] };
    const items = [
      { ...PROVIDER, ...more },
      { ...lock, metadata: { name: 'lock' } },
    ];
    writeFileSync(join(folder, 'dump.json'), JSON.stringify({ kind: 'List', items }));
    const { code, stdout, stderr } = await run('simulate', '--onto', 'dump.json');
    expect([code, stdout]).toEqual([EXIT.badInput, '']);
    expect(stderr).toContain(`\`dump.json\` has the Provider \`mine\`, and not ${which}`);
    expect(stderr).toContain('providerrevisions');
  });

  test.each([
    { why: 'a text of no kind', name: 'junk.yaml', text: 'hello: world\n' },
    { why: 'an empty file', name: 'empty.yaml', text: '' },
    { why: 'a text that is no object', name: 'word.yaml', text: 'hello\n' },
    {
      why: 'a package set',
      name: 'set.yaml',
      text: 'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec: {}\n',
    },
  ])('is not an empty cluster: $why', async ({ name, text }) => {
    writeFileSync(join(folder, name), text);
    const onto = await run('simulate', '--onto', name);
    const drift = fakeIo({ cwd: folder });
    await run('resolve', A, B);
    await runCli(['drift', name], drift);
    expect([onto.code, onto.stdout]).toEqual([EXIT.badInput, '']);
    expect(onto.stderr).toBe(drift.notes().join('\n'));
  });

  test('reports a missing file, as drift does', async () => {
    const { code, stderr } = await run('simulate', '--onto', 'none.json');
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toBe('error: none.json: there is no such file or folder');
  });

  test('can be a folder of dumps or standard input', async () => {
    mkdirSync(join(folder, 'dumps'));
    writeFileSync(join(folder, 'dumps/mine.json'), JSON.stringify(PROVIDER));
    const inFolder = await run('simulate', '--onto', 'dumps');
    expect(inFolder.stdout).toContain(`1. ${C} v1.5.0: installed\n`);
    const piped = await runOn({ stdin: JSON.stringify(PROVIDER) }, 'simulate', '--onto', '-');
    expect(piped.stdout).toBe(inFolder.stdout);
    await run('resolve', A, B);
    const lock = readFileSync(join(folder, 'xpkg.lock.yaml'), 'utf8');
    const locked = await runOn({ stdin: lock }, 'simulate', '--onto', '-');
    expect(locked.stdout).toBe('healthy on Crossplane v2.3.4: 3 packages\n');
  });

  test('can be a cluster without packages whose Lock has rows', async () => {
    const lock = {
      apiVersion: 'pkg.crossplane.io/v1beta1',
      kind: 'Lock',
      metadata: { name: 'lock' },
      packages: [{ name: 'stale-0123456789ab', type: 'Provider', source: B, version: 'v0.9.0' }],
    };
    writeFileSync(join(folder, 'lock.json'), JSON.stringify(lock));
    const { code, stdout } = await run('simulate', '--onto', 'lock.json', `${B}@*`);
    expect([code, stdout]).toEqual([EXIT.done, expect.stringContaining('stuck')]);
  });
});

test('renders the earlier manifests in the same way: by tag, unless a flag differs', async () => {
  await run('resolve', A, B);
  const rows = async (...flags: string[]) => {
    const onto = ['--all', '--pin', 'digest', '--onto', 'xpkg.lock.yaml', '-o', 'json'];
    const { stdout } = await run('simulate', ...onto, ...flags);
    return (JSON.parse(stdout) as { lock: { source: string }[] }).lock.map(({ source }) => source);
  };
  // Crossplane does not maintain Lock rows of packages that skip.
  expect((await rows()).toSorted()).toEqual([A, B, C]);
  expect(await rows('--onto-pin', 'digest')).toEqual([]);
});

describe('without a release', () => {
  beforeEach(async () => {
    await run('resolve', A, B);
    const lock = readFileSync(join(folder, 'xpkg.lock.yaml'), 'utf8');
    writeFileSync(join(folder, 'old.yaml'), lock.replaceAll('v2.3.4', 'v1.20.0'));
    const image = 'xpkg.crossplane.io/crossplane/crossplane:v1.20.0';
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'crossplane' },
      spec: { template: { spec: { containers: [{ image }] } } },
    };
    const list = { apiVersion: 'v1', kind: 'List', items: [PROVIDER, deployment] };
    writeFileSync(join(folder, 'dump.json'), JSON.stringify(list));
  });

  test.each([
    { why: 'from a lockfile', onto: 'old.yaml' },
    { why: 'from a dump', onto: 'dump.json' },
  ])(
    'uses the release of the cluster, and reports a lockfile for another one: $why',
    async ({ onto }) => {
      const { code, stdout, stderr } = await runWithoutRelease(
        {},
        'simulate',
        '--all',
        '--onto',
        onto,
      );
      expect([code, stdout]).toEqual([EXIT.done, expect.stringContaining('on Crossplane v1.20.0')]);
      expect(stderr).toBe(
        `note: on Crossplane v1.20.0, by \`${onto}\`: that is what the cluster has; ` +
          '`xpkg.lock.yaml` is for v2.3.4, which `--crossplane v2.3.4` takes',
      );
    },
  );

  test('reports nothing if both releases are equal, or one is given', async () => {
    const same = await runWithoutRelease({}, 'simulate', '--all', '--onto', 'xpkg.lock.yaml');
    const asked = await run('simulate', '--all', '--onto', 'old.yaml');
    expect([same.stderr, asked.stderr]).toEqual(['', '']);
    expect(asked.stdout).toContain('on Crossplane v2.3.4');
  });
});

describe('rejects a simulation that changes nothing', () => {
  test.each([
    { flags: ['--onto-pin', 'tag'], says: '`--onto-pin` goes with `--onto`' },
    {
      flags: ['--onto', 'dump.json', '--onto-pin', 'tag'],
      says: '`--onto-pin` goes with a lockfile at `--onto`: a dump says how packages are named',
    },
    { flags: ['--pin', 'digest'], says: '`--pin` goes with `--all`' },
    { flags: ['--prune', '--onto', 'xpkg.lock.yaml'], says: '`--prune` goes with `--all`' },
    { flags: ['--all', '--prune'], says: '`--prune` goes with `--onto`' },
    { flags: ['--seed', '7'], says: '`--seed` goes with `--orders`' },
    { flags: ['--all', '--locked'], says: '`--all` and `--locked` contradict each other' },
    { flags: ['--all', '-f', 'set.yaml'], says: '`--all` and `--file` contradict each other' },
    {
      flags: ['--all', '--strict'],
      says: '`--all` and `--strict` contradict each other',
    },
    {
      flags: ['--all', '--prerelease', A],
      says: '`--all` and `--prerelease` contradict each other',
    },
    { flags: ['--all', A], says: `\`--all\` and \`${A}\` contradict each other` },
  ])('$flags', async ({ flags, says }) => {
    await run('resolve', A, B);
    writeFileSync(join(folder, 'dump.json'), JSON.stringify(PROVIDER));
    const { code, stdout, stderr } = await run('simulate', ...flags);
    expect([code, stdout]).toEqual([EXIT.badInput, '']);
    expect(stderr.split('\n')[0]).toBe(`error: ${says}`);
  });
});

test.each([
  ['--orders', 'abc'],
  ['--orders', '1.5'],
  ['--orders', '-1'],
])('%s %s is no count', async (flag, value) => {
  const { code, stderr } = await run('simulate', A, flag, value);
  expect([code, stderr]).toEqual([
    EXIT.badInput,
    `error: \`${flag}\` must be a whole number, 0 or more`,
  ]);
});

test('also prints a drawn seed', async () => {
  const { stderr } = await run('simulate', A, '--orders', '1', '--seed', 'abc');
  expect(stderr).toBe('error: `--seed` must be a whole number, 0 or more');
});

test('the time limit applies with local sources, too, and nothing is printed', async () => {
  const text = await run('simulate', A, '--orders', '1000000', '--timeout', '0.5');
  expect([text.code, text.stdout]).toEqual([EXIT.gaveUp, '']);
  expect(text.stderr).toContain('gave up: the 0.5 s for this run are over');
  const json = await run('simulate', A, '--timeout', '0', '-o', 'json');
  expect(json.code).toBe(EXIT.gaveUp);
  expect(JSON.parse(json.stdout)).toMatchObject({ status: 'error', exitCode: EXIT.gaveUp });
});
