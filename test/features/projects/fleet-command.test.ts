import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { EACH, FleetFolder, FROM, REGISTRY } from '../../support/fleet-folder.js';

let at: FleetFolder;

beforeEach(async () => {
  at = await FleetFolder.make();
  await at.set('east', { platform: '>=v1.0.0' });
  await at.set('north', { base: '<v1.2.0' });
  await at.set('west', { platform: '>=v1.0.0' });
  expect((await at.run(['resolve', ...EACH, ...FROM])).code).toBe(EXIT.done);
});

afterEach(() => at.remove());

test('compares versions side by side, and lists outdated projects and the effect of an update', async () => {
  await at.writeIndex(['v1.0.0', 'v1.1.0', 'v1.2.0', 'v1.3.0']);
  const { code, stdout } = await at.run(['fleet', ...FROM]);
  expect(code).toBe(EXIT.done);
  expect(stdout).toBe(`  package   east    north     west
  base      v1.2.0  v1.1.0 <  v1.2.0
  platform  v1.2.0  -         v1.2.0
Packages are from xpkg.example.org/acme.

stragglers: 1 set
  north  base v1.1.0 (most have v1.2.0)

an update would touch 2 of 3 sets
  east  base v1.2.0 → v1.3.0, platform v1.2.0 → v1.3.0
  west  base v1.2.0 → v1.3.0, platform v1.2.0 → v1.3.0
`);
});

test('lists versions with counts if the projects do not fit into a line', async () => {
  for (let i = 10; i < 40; i++) {
    const cluster = `cluster-${i}`;
    for (const name of ['xpkg.yaml', 'xpkg.lock.yaml']) {
      await at.write(`clusters/${cluster}/${name}`, await at.read(`clusters/east/${name}`));
    }
  }
  const { stdout } = await at.run(['fleet', '--no-updates']);
  expect(stdout.split('\n').slice(0, 4)).toEqual([
    '  package   version   sets',
    '  base      v1.2.0    32 of 33',
    '            v1.1.0 <  1 of 33   north',
    '  platform  v1.2.0    32 of 33',
  ]);
  expect(stdout).not.toContain('an update');
});

test('as JSON, every project has a line with the state of its packages', async () => {
  await at.writeIndex(['v1.0.0', 'v1.1.0', 'v1.2.0', 'v1.3.0']);
  const { code, lines } = await at.lines(['fleet', ...EACH, ...FROM]);
  expect(code).toBe(EXIT.done);
  expect(lines.map(({ set }) => set)).toEqual([
    'clusters/east/xpkg.yaml',
    'clusters/north/xpkg.yaml',
    'clusters/west/xpkg.yaml',
  ]);
  const base = { source: `${REGISTRY}/base`, usual: 'v1.2.0' };
  expect(lines[1]).toMatchObject({
    exitCode: 0,
    packages: [{ ...base, version: 'v1.1.0', standing: 'behind' }],
    update: { status: 'solved', changes: [] },
  });
  expect(lines[0]!['update']).toMatchObject({
    changes: [
      { source: `${REGISTRY}/base`, from: 'v1.2.0', to: 'v1.3.0' },
      { source: `${REGISTRY}/platform`, from: 'v1.2.0', to: 'v1.3.0' },
    ],
  });
});

test('for one package: the effect of updating it, and where that is impossible', async () => {
  const { code, lines } = await at.lines(['fleet', 'base@v1.0.0', ...EACH, ...FROM]);
  expect([code, ...lines.map(({ exitCode }) => exitCode)]).toEqual([0, 0, 0, 0]);
  expect(lines[1]!['update']).toMatchObject({ changes: [{ from: 'v1.1.0', to: 'v1.0.0' }] });
  const only = await at.lines(['fleet', 'platform', ...EACH, ...FROM]);
  expect(only.lines[1]).toMatchObject({ headline: expect.stringContaining('has no platform') });
  expect(only.lines[1]).not.toHaveProperty('update');
  const failing = await at.run(['fleet', 'base@v9.0.0', ...EACH, ...FROM]);
  expect(failing.code).toBe(EXIT.unsolvable);
  expect(failing.stdout).toMatch(/clusters\/east\/xpkg.yaml +unsolvable +\S/);
});

test('writes nothing, and lists a project without a lockfile among the others', async () => {
  await at.set('south', { base: '*' });
  const before = await at.files('.');
  const { code, stdout, stderr } = await at.run(['fleet', ...EACH, ...FROM]);
  expect(code).toBe(EXIT.lockMismatch);
  expect(stdout).toMatch(/south\/xpkg.yaml +mismatch +there is no lockfile/);
  expect(stderr).toContain('error: in clusters/south/xpkg.yaml:');
  expect(await at.files('.')).toEqual(before);
});

test('as JSON, a failed project has its error, as in every command', async () => {
  await at.set('south', { base: '*' });
  await at.write('clusters/west/xpkg.yaml', 'nonsense: [');
  const { code, lines } = await at.lines(['fleet', ...EACH, ...FROM]);
  expect(code).toBe(EXIT.badInput);
  expect(lines.map(({ status }) => status)).toEqual([undefined, undefined, 'mismatch', 'error']);
  expect(lines[2]).toMatchObject({
    exitCode: EXIT.lockMismatch,
    mismatches: [{ kind: 'missing', text: expect.stringContaining('south/xpkg.lock.yaml') }],
  });
  expect(lines[3]).toMatchObject({
    exitCode: EXIT.badInput,
    error: { message: expect.any(String), file: 'clusters/west/xpkg.yaml', line: 1 },
  });
  const { lines: blocked } = await at.lines(['fleet', 'base@v9.0.0', ...EACH, ...FROM]);
  expect(blocked[0]).toMatchObject({
    exitCode: EXIT.unsolvable,
    status: 'unsolvable',
    explanation: expect.stringContaining('base'),
    crossplane: 'v2.3.4',
    packages: [{ version: 'v1.2.0' }, { version: 'v1.2.0' }],
    update: { status: 'unsolvable', changes: [] },
  });
});

test('an exclusion pattern alone narrows the default search', async () => {
  const { code, stdout } = await at.run(['fleet', '--each', '!clusters/west/**', '--no-updates']);
  expect(stdout.split('\n')[0]).toBe('  package   east    north');
  expect(code).toBe(EXIT.done);
});

test('compares Crossplane releases if projects differ', async () => {
  await at.set('north', { base: '<v1.2.0' }, { crossplane: 'v1.20.11' });
  expect((await at.run(['resolve', ...EACH, ...FROM])).code).toBe(EXIT.done);
  const { stdout } = await at.run(['fleet', '--no-updates']);
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    '  package     east    north       west',
    '  Crossplane  v2.3.4  v1.20.11 <  v2.3.4',
    '  base        v1.2.0  v1.1.0 <    v1.2.0',
  ]);
});

test('reports unsolvable updates and unknown results', async () => {
  const all = await at.run(['fleet', 'base@v9.0.0', ...EACH, ...FROM]);
  expect(all.stdout).toContain('\nno set has an answer to such an update\n');
  const one = await at.run(['fleet', 'base@v1.2.0', ...EACH, ...FROM]);
  expect(one.stdout).toContain('\nan update would touch no set; 1 of 3 sets has no answer to it\n');
  await at.set('south', { base: '*' });
  const some = await at.run(['fleet', ...EACH, ...FROM]);
  expect(some.stdout).toContain(
    '\nan update would touch no set; of 1 of 4 sets that is not known\n',
  );
});

test('if two versions are equally frequent, none is the most frequent', async () => {
  const two = ['--each', 'clusters/*/xpkg.yaml', '--each', '!clusters/west/*'];
  const { stdout } = await at.run(['fleet', ...two, '--no-updates']);
  expect(stdout).toContain('north  base v1.1.0 (1 other has v1.2.0)');
  for (const name of ['xpkg.yaml', 'xpkg.lock.yaml']) {
    await at.write(`clusters/south/${name}`, await at.read(`clusters/north/${name}`));
  }
  const four = await at.run(['fleet', '--no-updates']);
  expect(four.stdout).toContain('north  base v1.1.0 (2 others have v1.2.0)');
});

test('help explains where projects are searched, and has no flag for one project', async () => {
  const { stdout } = await at.run(['fleet', '--help']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('(default: `**/xpkg.yaml`)');
  expect(stdout).not.toContain('--file');
  const { code, stderr } = await at.run(['fleet', '-f', 'clusters/east/xpkg.yaml', ...FROM]);
  expect([code, stderr]).toEqual([EXIT.badInput, expect.stringContaining('has no flag')]);
});

test('package names and `--no-updates` exclude each other', async () => {
  const { code, stderr } = await at.run(['fleet', 'base', '--no-updates', ...EACH]);
  expect(stderr).toContain('`--no-updates` and `base` contradict each other');
  expect(code).toBe(EXIT.badInput);
});
