import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { EACH, FleetFolder, FROM } from '../../support/fleet-folder.js';

const CLUSTERS = ['east', 'west'];
let at: FleetFolder;

beforeEach(async () => {
  at = await FleetFolder.make();
  await at.set('east', { platform: '>=v1.0.0' });
  await at.set('west', { platform: 'v1.0.0' });
  expect((await at.run(['resolve', ...EACH, ...FROM])).code).toBe(EXIT.done);
});

afterEach(() => at.remove());

/** Returns the outputs of one run for all projects and those of a run for each project. */
async function outputsOfBoth(flag: string) {
  const { code, stderr } = await at.run(['render', flag, 'made', ...EACH]);
  expect({ code, stderr }).toMatchObject({ code: EXIT.done });
  const together = await Promise.all(CLUSTERS.map((each) => at.files(`clusters/${each}/made`)));
  for (const cluster of CLUSTERS) {
    await rm(join(at.path, 'clusters', cluster, 'made'), { recursive: true });
    const lock = `clusters/${cluster}/xpkg.lock.yaml`;
    const argv = ['render', '--lock', lock, flag, `clusters/${cluster}/made`];
    expect((await at.run(argv)).code).toBe(EXIT.done);
  }
  const alone = await Promise.all(CLUSTERS.map((each) => at.files(`clusters/${each}/made`)));
  return { together, alone };
}

describe.each(['--flux', '--helm'])('render %s', (flag) => {
  test('writes the same outputs as separate runs', async () => {
    const { together, alone } = await outputsOfBoth(flag);
    expect(together).toEqual(alone);
    expect(together[0]).not.toEqual(together[1]);
    expect(Object.keys(together[0]!).length).toBeGreaterThan(1);
  });

  test('finds an edited project and accepts the others', async () => {
    expect((await at.run(['render', flag, 'made', ...EACH])).code).toBe(EXIT.done);
    expect((await at.run(['render', flag, 'made', '--check', ...EACH])).code).toBe(EXIT.done);
    const [file] = Object.keys(await at.files('clusters/west/made'));
    await at.write(`clusters/west/made/${file}`, 'edited: true\n');
    const { code, stdout } = await at.run(['render', flag, 'made', '--check', ...EACH]);
    expect(code).toBe(EXIT.lockMismatch);
    expect(stdout).toMatch(/clusters\/west\/xpkg\.yaml +(?!ok)\w/);
    expect(stdout).toMatch(/clusters\/east\/xpkg\.yaml +ok/);
  });

  test('projects in one folder name their outputs after their files', async () => {
    await at.write('clusters/east/second.yaml', await at.read('clusters/west/xpkg.yaml'));
    const both = ['--each', 'clusters/east/*.yaml', '--each', '!**/*.lock.yaml'];
    const locks = ['--lock', '{name}.lock.yaml'];
    const apart = await at.run(['resolve', ...both, ...locks, '--out', 'out/{name}', ...FROM]);
    expect(apart.code).toBe(EXIT.done);
    const shared = await at.run(['render', flag, 'made', ...both, ...locks]);
    expect(shared.code).toBe(EXIT.badInput);
    expect(shared.stderr).toContain('would both have `clusters/east/made`');
    expect(shared.stderr).toContain(`${flag} '${flag.slice(2)}/{name}'`);
    expect(at.has('clusters/east/made')).toBe(false);
    const named = await at.run(['render', flag, 'made/{name}', ...both, ...locks]);
    expect(named.code).toBe(EXIT.done);
    expect(at.has('clusters/east/made/second') && at.has('clusters/east/made/xpkg')).toBe(true);
  });
});

describe('render --plan', () => {
  beforeEach(async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: at.path });
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=n', '-c', 'user.email=n@example.org', 'commit', '-qm', 'first');
    await at.writeIndex(['v1.0.0', 'v1.1.0', 'v1.2.0', 'v1.3.0']);
    expect((await at.run(['update', ...EACH, ...FROM])).code).toBe(EXIT.done);
  });

  test('writes the steps from the lockfile in git next to each project', async () => {
    const { together, alone } = await outputsOfBoth('--plan');
    expect(together).toEqual(alone);
    expect(Object.values(together[0]!).join('')).toContain('platform:v1.3.0');
  });

  test('--old applies to one project', async () => {
    const old = ['--old', 'clusters/east/xpkg.lock.yaml'];
    const { code, stderr } = await at.run(['render', '--plan', 'made', ...old, ...EACH]);
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain('`--each` and `--old`');
    expect(at.has('clusters/east/made')).toBe(false);
  });
});
