import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { providerYaml } from '../../support/package-yaml.js';
import { packageImage } from '../../support/registry/image.js';
import { pushSide } from '../../support/registry/push-side.js';
import { Registry } from '../../support/registry/registry.js';

let folder: string;
let registry: Registry;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'locked-index-'));
  registry = await new Registry({ faults: [pushSide()] }).start();
});

afterEach(async () => {
  await registry.stop();
  await rm(folder, { recursive: true });
});

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd: folder });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes().join('\n') };
}

async function publish(version: string): Promise<string> {
  registry.push('acme/p', version, await packageImage(providerYaml('p', 'ps.example.org')));
  return `${registry.host}/acme/p`;
}

/** Returns the exit code of the step of `check` that corresponds to `resolve --locked`. */
async function lockedStep(...argv: readonly string[]): Promise<number> {
  const { stdout } = await run('check', ...argv, '-o', 'json');
  const { steps } = JSON.parse(stdout) as { steps: { name: string; exitCode: number }[] };
  return steps.find(({ name }) => name === 'locked')!.exitCode;
}

const lockfile = () => readFile(join(folder, 'xpkg.lock.yaml'), 'utf8');

test.each(['at a registry', 'in a folder'])(
  'a lockfile says which state of an index was read, %s, and `--locked` reads that one',
  async (where) => {
    const name = await publish('v1.0.0');
    const place = where === 'in a folder' ? 'parts/' : `oci://${registry.host}/team/index:v1`;
    const write = place === 'parts/' ? ['index', '--out', place] : ['index', 'push', place];
    await run(...write, name);
    const line = ['resolve', `${name}@>=v1.0.0`, '--from', `index:${place}`];
    const given = ['--crossplane', 'v2.3.4'];
    expect((await run(...line, ...given)).code).toBe(0);
    expect(await lockfile()).not.toContain('indexes:');
    expect((await run(...line, ...given, '--lock-index')).code).toBe(0);
    const first = await lockfile();
    const from = place === 'parts/' ? 'index:parts/' : place;
    expect(first).toMatch(new RegExp(`indexes:\\n *- index: .?${from}.?\\n *digest: sha256:`));
    await publish('v1.1.0');
    expect((await run('index', 'update', place)).code).toBe(0);
    // Without a lockfile to prefer, only the recorded state of the index gives the same answer.
    const anew = ['--prefer', 'newest', '--locked'];
    expect(await run(...line, ...given, ...anew)).toMatchObject({ code: 0 });
    expect(await lockedStep(...line.slice(1), ...given)).toBe(0);
    expect((await run(...line, ...given, '--upgrade')).code).toBe(0);
    const second = await lockfile();
    expect(second).toContain('v1.1.0');
    expect(second.split('indexes:')[1]).not.toBe(first.split('indexes:')[1]);
    expect((await run('verify', `${name}@>=v1.0.0`, '--from', `index:${place}`)).code).toBe(0);
  },
);

test('reports a missing state and reads no other state instead', async () => {
  const name = await publish('v1.0.0');
  await run('index', name, '--out', 'parts/');
  const line = ['resolve', `${name}@>=v1.0.0`, '--from', 'index:parts/', '--crossplane', 'v2.3.4'];
  await run(...line, '--lock-index');
  for (const version of ['v1.1.0', 'v1.2.0']) {
    await publish(version);
    await run('index', 'update', 'parts/');
  }
  const { code, notes } = await run(...line, '--locked');
  expect([code, notes]).toEqual([5, expect.stringContaining('no longer there')]);
  expect((await run(...line)).code).toBe(0);
  expect((await run(...line, '--locked')).code).toBe(0);
});

test('`--lock-index` reports that no source is an index that can be recorded', async () => {
  const name = await publish('v1.0.0');
  await run('index', name, '--out', 'one.json');
  await run('index', name, '--out', 'parts/');
  const line = ['resolve', `${name}@>=v1.0.0`, '--crossplane', 'v2.3.4', '--lock-index', '--from'];
  for (const from of ['index:one.json', `index:${join(folder, 'parts')}`]) {
    const { code, notes } = await run(...line, from);
    expect([code, notes.match(/`--lock-index` records nothing/g)]).toEqual([
      0,
      [expect.anything()],
    ]);
    expect(await lockfile()).not.toContain('indexes:');
  }
  expect((await run(...line, 'index:parts/')).notes).not.toContain('records nothing');
});

test.each([['index:other/'], ['index:one.json']])(
  '`--locked` with %s says which index the lockfile records, and what to do',
  async (from) => {
    const name = await publish('v1.0.0');
    for (const out of ['one.json', 'parts/']) await run('index', name, '--out', out);
    const line = ['resolve', `${name}@>=v1.0.0`, '--crossplane', 'v2.3.4', '--from'];
    await run(...line, 'index:parts/', '--lock-index');
    await publish('v1.1.0');
    await run('index', name, '--out', 'other/');
    const { code, notes } = await run(...line, from, '--locked');
    expect(code).toBe(4);
    expect(await lockedStep(...line.slice(1), from)).toBe(4);
    expect(notes).toMatch(/it records that `index:parts\/` \(sha256:\w+\) was read, and now /);
    expect(notes).toContain(
      from === 'index:other/' ? '`index:other/` (sha256:' : 'no index in parts',
    );
    expect(notes).toContain('name with `--from` what it records');
  },
);

test('`--locked` finds the state in any location; without it, the state that was read is recorded', async () => {
  const name = await publish('v1.0.0');
  for (const out of ['parts/', 'copied/']) await run('index', name, '--out', out);
  const line = ['resolve', `${name}@>=v1.0.0`, '--crossplane', 'v2.3.4', '--from'];
  await run(...line, 'index:parts/', '--lock-index');
  const before = await lockfile();
  expect(await run(...line, 'index:copied/', '--locked')).toMatchObject({ code: 0 });
  expect(await lockedStep(...line.slice(1), 'index:copied/')).toBe(0);
  const absolute = `index:${join(folder, 'copied')}/`;
  expect(await run(...line, absolute, '--locked')).toMatchObject({ code: 0 });
  expect(await lockedStep(...line.slice(1), absolute)).toBe(0);
  expect(await lockfile()).toBe(before);
  expect(await run(...line, 'index:copied/')).toMatchObject({ code: 0 });
  expect(await lockfile()).toBe(before.replace('index:parts/', 'index:copied/'));
});
