import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../../src/cli/exit-code.js';
import { runCli } from '../../../../src/cli/run.js';
import { fakeIo } from '../../../support/fake-io.js';
import { providers, requiring } from '../../../support/universes.js';

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

/** Two providers; the digest of B v1.0.0 is of the digit given, and so may be what it requires. */
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

/** Every file that a run could change. */
function outputs(): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = paths.filter((path) => statSync(join(folder, path)).isFile()).sort();
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

test.each([
  { args: ['resolve'], why: 'what is locked stays' },
  { args: ['resolve', '--locked'], why: 'and must stay' },
  { args: ['resolve', '--upgrade'], why: 'the newest that fits is the locked one' },
  { args: ['resolve', '--no-write'], why: 'the answer alone is not to be relied on either' },
  { args: ['update'], why: 'all may move, and it does not' },
  { args: ['update', 'provider-b'], why: 'naming it is no consent' },
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

test('-o json says what was locked and what there is', async () => {
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
    why: 'new bytes that fit nothing would have moved the package to another version',
  },
  { bRequires: { [A]: '*' }, why: 'so would a cycle' },
])('a tag that was moved to what does not fit is told as well: $why', async ({ bRequires }) => {
  index({ b: 'e', bRequires });
  const { code, stderr } = await run('resolve');
  expect(code).toBe(EXIT.lockMismatch);
  expect(stderr).toContain(`${B} v1.0.0: the tag was moved`);
});

test('a set that became unsolvable by a moved tag is told by the tag', async () => {
  const moved = providers({
    [A]: { 'v1.0.0': { digest: digest('e'), ...requiring({ [B]: '>=v9.0.0' }) } },
    [B]: { 'v1.0.0': { digest: digest('b') } },
  });
  writeFileSync(join(folder, 'index.json'), JSON.stringify(moved));
  const { code, stderr } = await run('resolve');
  expect(code).toBe(EXIT.lockMismatch);
  expect(stderr).toContain(`${A} v1.0.0: the tag was moved`);
});

test('consent for the package takes the new bytes, and says what it took', async () => {
  index({ b: 'e' });
  const { code, stderr } = await run('update', `${B}@v1.0.0`, '--accept-moved');
  expect(code).toBe(EXIT.done);
  expect(stderr).toContain(`tag was moved: ${B} v1.0.0 names other bytes`);
  expect(outputs()['xpkg.lock.yaml']).toContain(digest('e'));
  expect(await run('resolve', '--locked')).toMatchObject({ code: EXIT.done });
});

test('a package that leaves a moved tag behind on request needs no consent', async () => {
  index({ b: 'e' });
  const { code } = await run('update', `${B}@v0.9.0`);
  expect(code).toBe(EXIT.done);
  expect(outputs()['xpkg.lock.yaml']).toContain(digest('9'));
});

test('consent without a package is bad usage', async () => {
  const { code, stderr } = await run('update', '--accept-moved');
  expect(code).toBe(EXIT.badInput);
  expect(stderr).toContain('name each package');
});

test('a stale lockfile is a mismatch in JSON, with the change', async () => {
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
