import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../../src/cli/exit-code.js';
import { EACH, FleetFolder, FROM, REGISTRY } from '../../../support/fleet-folder.js';

let at: FleetFolder;

beforeEach(async () => {
  at = await FleetFolder.make();
  await at.set('east', { platform: '>=v1.0.0' });
  await at.set('north', { base: '<v1.2.0' });
  await at.set('west', { platform: '>=v1.0.0' });
  expect((await at.run(['resolve', ...EACH, ...FROM])).code).toBe(EXIT.done);
});

afterEach(() => at.remove());

test('versions stand side by side, with who is behind and what an update would touch', async () => {
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

test('where there are too many sets for a line, versions are told with how many have them', async () => {
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

test('as JSON, every set has a line with where its packages stand', async () => {
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

test('of one package: what moving it would touch, and where that cannot be', async () => {
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

test('nothing is written, and a set without lockfile is told beside the others', async () => {
  await at.set('south', { base: '*' });
  const before = await at.files('.');
  const { code, stdout, stderr } = await at.run(['fleet', ...EACH, ...FROM]);
  expect(code).toBe(EXIT.lockMismatch);
  expect(stdout).toMatch(/south\/xpkg.yaml +mismatch +there is no lockfile/);
  expect(stderr).toContain('error: in clusters/south/xpkg.yaml:');
  expect(await at.files('.')).toEqual(before);
});
