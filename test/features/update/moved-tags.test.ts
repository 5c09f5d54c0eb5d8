import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { providers, requiring } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/provider-a';
const B = 'xpkg.example.org/acme/provider-b';
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-'));
  const set = {
    apiVersion: 'xpkg-resolve.dev/v1alpha1',
    kind: 'PackageSet',
    metadata: { name: 'test' },
    spec: { crossplane: 'v2.3.4', packages: [{ provider: A, version: '*' }] },
  };
  writeFileSync(join(folder, 'xpkg.yaml'), JSON.stringify(set));
  index({ b: 'b' });
  await run('resolve');
});

afterEach(() => rmSync(folder, { recursive: true }));

/**
 * Two providers; `b` is the first digit of the digest of B v1.0.0, and `bRequires` its
 * requirements.
 */
function index({ b, bRequires }: { b: string; bRequires?: Readonly<Record<string, string>> }) {
  const packages = providers({
    [A]: { 'v1.0.0': { digest: digest('a'), ...requiring({ [B]: '<=v1.0.0' }) } },
    [B]: {
      'v0.9.0': { digest: digest('9') },
      'v1.0.0': { digest: digest(b), ...requiring(bRequires ?? {}) },
      'v1.1.0': { digest: digest('c') },
    },
  });
  writeFileSync(join(folder, 'index.json'), JSON.stringify(packages));
}

async function run(command: string, ...args: string[]) {
  const io = fakeIo({ cwd: folder });
  const code = await runCli([command, '--from', 'index:index.json', ...args], io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

/** Returns every file that a run could change. */
function outputs(): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = paths.filter((path) => statSync(join(folder, path)).isFile()).sort();
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

test.each([
  { args: ['resolve'], why: 'locked versions stay' },
  { args: ['resolve', '--locked'], why: 'and must stay' },
  { args: ['resolve', '--upgrade'], why: 'the newest version that fits is the locked one' },
  { args: ['resolve', '--no-write'], why: 'the output alone would be unreliable, too' },
  { args: ['update'], why: 'all packages may change, and this one does not' },
  { args: ['update', 'provider-b'], why: 'naming the package is not consent' },
  { args: ['update', 'provider-a', '--accept-moved'], why: 'consent is for another package' },
])('a moved tag stops $args, and nothing is written ($why)', async ({ args }) => {
  index({ b: 'e' });
  const before = outputs();
  const [command, ...rest] = args;
  const { code, stderr } = await run(command!, ...rest);
  expect(code).toBe(EXIT.lockMismatch);
  expect(stderr).toContain(`${B} v1.0.0: the tag was moved`);
  expect(stderr).toContain(`locked: ${digest('b')}`);
  expect(stderr).toContain(`found:  ${digest('e')}`);
  expect(stderr).toContain('SECURITY');
  expect(stderr).toContain(`xpkg-resolve update ${B}@v1.0.0 --accept-moved`);
  expect(outputs()).toEqual(before);
});

test('-o json has the locked and the current digest', async () => {
  index({ b: 'e' });
  const { code, stdout } = await run('resolve', '-o', 'json');
  expect(code).toBe(EXIT.lockMismatch);
  expect(JSON.parse(stdout)).toEqual({
    schemaVersion: 1,
    status: 'mismatch',
    exitCode: EXIT.lockMismatch,
    mismatches: [
      {
        kind: 'tag-moved',
        source: B,
        version: 'v1.0.0',
        text: 'the tag was moved: `v1.0.0` names other bytes than were locked',
        locked: digest('b'),
        found: digest('e'),
      },
    ],
  });
});

test.each([
  {
    bRequires: { [B]: '>=v9.0.0' },
    why: 'contents that conflict would otherwise change the version',
  },
  { bRequires: { [A]: '*' }, why: 'a cycle would, too' },
])('reports a moved tag whose new contents conflict: $why', async ({ bRequires }) => {
  index({ b: 'e', bRequires });
  const { code, stderr } = await run('resolve');
  expect(code).toBe(EXIT.lockMismatch);
  expect(stderr).toContain(`${B} v1.0.0: the tag was moved`);
});

test('reports the moved tag as the reason of an unsolvable project', async () => {
  const moved = providers({
    [A]: { 'v1.0.0': { digest: digest('e'), ...requiring({ [B]: '>=v9.0.0' }) } },
    [B]: { 'v1.0.0': { digest: digest('b') } },
  });
  writeFileSync(join(folder, 'index.json'), JSON.stringify(moved));
  const { code, stderr } = await run('resolve');
  expect(code).toBe(EXIT.lockMismatch);
  expect(stderr).toContain(`${A} v1.0.0: the tag was moved`);
});

test('consent for the package locks the new digest and reports it', async () => {
  index({ b: 'e' });
  const { code, stderr } = await run('update', `${B}@v1.0.0`, '--accept-moved');
  expect(code).toBe(EXIT.done);
  expect(stderr).toContain(`tag was moved: ${B} v1.0.0 names other bytes`);
  expect(outputs()['xpkg.lock.yaml']).toContain(digest('e'));
  expect(await run('resolve', '--locked')).toMatchObject({ code: EXIT.done });
});

test('a requested update away from a moved tag needs no consent', async () => {
  index({ b: 'e' });
  const { code } = await run('update', `${B}@v0.9.0`);
  expect(code).toBe(EXIT.done);
  expect(outputs()['xpkg.lock.yaml']).toContain(digest('9'));
});

test('consent without a package is a usage error', async () => {
  const { code, stderr } = await run('update', '--accept-moved');
  expect(code).toBe(EXIT.badInput);
  expect(stderr).toContain('name each package');
});

test('an outdated lockfile is a mismatch in JSON, with the change', async () => {
  const set = readFileSync(join(folder, 'xpkg.yaml'), 'utf8');
  writeFileSync(
    join(folder, 'xpkg.yaml'),
    set.replace('"*"}]', `"*"},{"provider":"${B}","version":"v0.9.0"}]`),
  );
  const { code, stdout } = await run('resolve', '--locked', '-o', 'json');
  expect(code).toBe(EXIT.lockMismatch);
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'mismatch',
    exitCode: EXIT.lockMismatch,
    mismatches: [{ kind: 'stale', source: B, text: expect.stringContaining('v1.0.0 → v0.9.0') }],
  });
});
