import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { DEMO_SOURCE } from '../../support/resolved-demo.js';

const DUMPS = join(import.meta.dirname, '../../../fixtures/dumps');
const DUMP = join(DUMPS, 'v1.20.11.yaml');
const HELM = 'xpkg.example.org/acme-contrib/provider-helm';

let cwd: string;

beforeEach(async () => {
  cwd = join(await mkdtemp(join(tmpdir(), 'cluster-')), 'platform');
  await mkdir(cwd);
});

afterEach(() => rm(join(cwd, '..'), { recursive: true }));

async function run(argv: readonly string[], stdin = '') {
  const io = fakeIo({ cwd, stdin });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

const written = (file: string) => readFile(join(cwd, file), 'utf8');

describe('import', () => {
  test('with sources, it writes the same lockfile as resolve', async () => {
    const ran = await run(['import', DUMP, ...DEMO_SOURCE]);
    expect(ran.code).toBe(EXIT.done);
    expect(ran.stderr).toContain('wrote xpkg.yaml, xpkg.objects.yaml and xpkg.lock.yaml');
    expect(ran.stdout).toContain('13 packages of a cluster with Crossplane v1.20.11');
    expect((await run(['resolve', '--locked', '--no-bundle', ...DEMO_SOURCE])).code).toBe(
      EXIT.done,
    );
    expect((await run(['verify', '--no-bundle', ...DEMO_SOURCE])).code).toBe(EXIT.done);
    expect((await run(['drift', DUMP])).code).toBe(EXIT.done);
  });

  test('without sources, it states what is missing and which command to run', async () => {
    const { code, stderr } = await run(['import', '-f', DUMP]);
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('13 of 13 packages are locked without a digest');
    expect(stderr).toContain('import … --from registry');
    expect((await run(['resolve', '--no-bundle', ...DEMO_SOURCE])).stderr).not.toContain('moved');
    expect(await written('xpkg.lock.yaml')).toContain('digest: sha256:');
  });

  test.each(['v1.14.0', 'v1.17.0', 'v2.0.2', 'v2.3.4', 'v2.4.0-rc.0'])(
    'a dump of Crossplane %s is taken for what it is',
    async (release) => {
      const dump = join(DUMPS, `${release}.yaml`);
      expect((await run(['import', dump])).code).toBe(EXIT.done);
      expect(await written('xpkg.yaml')).toContain(`\n  crossplane: ${release}\n`);
      expect((await run(['drift', dump])).code).toBe(EXIT.done);
    },
  );

  test('from standard input, in two documents', async () => {
    const text = await readFile(DUMP, 'utf8');
    await writeFile(join(cwd, 'more.yaml'), 'apiVersion: v1\nkind: List\nitems: []\n');
    expect((await run(['import', '-', '-f', 'more.yaml'], text)).code).toBe(EXIT.done);
    expect((await run(['drift', '-'], text)).code).toBe(EXIT.done);
  });

  test('refuses a release that is not known, and so does drift, unless it is accepted', async () => {
    const unknown = join(cwd, '..', 'unknown.yaml');
    await writeFile(unknown, (await readFile(DUMP, 'utf8')).replaceAll('v1.20.11', 'v9.0.0'));
    const refused = await run(['import', unknown]);
    expect(refused.code).toBe(EXIT.badInput);
    expect(refused.stderr).toContain('Crossplane v9.0.0 is not a release this tool knows');
    expect(await readdir(cwd)).toEqual([]);
    expect((await run(['import', unknown, '--accept-unknown-release'])).code).toBe(EXIT.done);
    expect((await run(['drift', unknown])).code).toBe(EXIT.badInput);
    const accepted = await run(['drift', unknown, '--accept-unknown-release']);
    expect(accepted.code).not.toBe(EXIT.badInput);
  });

  test('does not overwrite existing files', async () => {
    for (const file of ['xpkg.yaml', 'xpkg.objects.yaml', 'xpkg.lock.yaml']) {
      await writeFile(join(cwd, file), 'mine');
      const { code, stderr } = await run(['import', DUMP]);
      expect(code).toBe(EXIT.badInput);
      expect(stderr).toContain(`\`${file}\` is there already`);
      expect(await readdir(cwd)).toEqual([file]);
      await rm(join(cwd, file));
    }
    await writeFile(join(cwd, 'xpkg.yaml'), 'mine');
    const { code, stderr } = await run(['import', DUMP, '--no-write']);
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('would write nothing: `xpkg.yaml` is there already');
    expect(await readdir(cwd)).toEqual(['xpkg.yaml']);
  });

  test('with --no-write it prints what it would write', async () => {
    const { code, stderr } = await run(['import', DUMP, '--no-write']);
    expect(code).toBe(EXIT.done);
    expect(stderr).toMatch(/^would write xpkg\.yaml, .*xpkg\.lock\.yaml \(--no-write\)$/m);
    expect(stderr).toContain('13 of 13 packages would be locked without a digest');
    expect(stderr).not.toMatch(/^wrote /m);
    expect(await readdir(cwd)).toEqual([]);
  });

  test('without the Deployment of Crossplane it states the release that it assumes', async () => {
    const text = (await readFile(DUMP, 'utf8')).replace('kind: Deployment\n', 'kind: Other\n');
    expect((await run(['import', '-', '--no-write'], text)).stderr).toMatch(
      /note: for Crossplane v\S+, the newest release that could hold such objects/,
    );
    const named = await run(['import', '-', '--no-write', '--crossplane', 'v1.20.3'], text);
    expect(named.stdout).toContain('with Crossplane v1.20.3');
  });

  test('rejects a file without packages, empty input and a missing file', async () => {
    const crds = 'apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n';
    const other = await run(['import', '-'], crds);
    expect(other.code).toBe(EXIT.badInput);
    expect(other.stderr).toMatch(
      /no Provider, Configuration or Function is in `-`, .*: Secret\n.*kubectl get/s,
    );
    expect((await run(['import'])).stderr).toContain('name a dump of a cluster');
    expect((await run(['drift', 'nowhere.yaml'])).code).toBe(EXIT.lockMismatch);
    expect((await run(['import', 'nowhere.yaml'])).stderr).toContain('there is no such file');
  });
});

describe('drift', () => {
  test('lists each difference, its place and a fix, with exit code 6', async () => {
    await run(['import', DUMP]);
    const text = (await readFile(DUMP, 'utf8')).replaceAll(`${HELM}:v0.21.0`, `${HELM}:v0.19.0`);
    const { code, stdout } = await run(['drift', '-'], text);
    expect(code).toBe(EXIT.findings);
    expect(stdout).toMatch(
      /^-:\d+: differs: .*locked at v0.21.0, and .*v0.19.0` is installed \[version\]$/m,
    );
    expect(stdout).toContain(`xpkg-resolve update ${HELM}@v0.19.0`);
    expect(stdout).toContain('the cluster has drifted from the lockfile');
  });

  test('suggests an entry for a dependency at the locked version', async () => {
    await writeFile(
      join(cwd, 'xpkg.yaml'),
      `apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
metadata:
  name: platform
spec:
  crossplane: v1.20.11
  packages:
    - configuration: xpkg.example.org/acme/configuration-cluster
      version: "~v0.5.0"
`,
    );
    expect((await run(['resolve', '--no-bundle', ...DEMO_SOURCE])).code).toBe(EXIT.done);
    const lock = await written('xpkg.lock.yaml');
    expect(lock).toContain(`- source: ${HELM}\n    version: v0.21.0\n`);
    expect(lock).not.toContain('name: helm\n');
    await writeFile(
      join(cwd, 'xpkg.yaml'),
      `${await written('xpkg.yaml')}    - {package: ${HELM}, name: helm}\n`,
    );
    expect((await run(['resolve', '--no-bundle', ...DEMO_SOURCE])).code).toBe(EXIT.done);
    expect(await written('xpkg.lock.yaml')).toMatch(
      new RegExp(`- source: ${HELM}\n    version: v0.21.0\n[^-]*name: helm\n`),
    );
  });

  test('compares with the lockfile named on the command line', async () => {
    await run(['import', DUMP, '--lock', 'other.yaml']);
    expect((await run(['drift', DUMP, '--lock', 'other.yaml'])).code).toBe(EXIT.done);
  });
});

test('prints and writes no secrets of a dump', async () => {
  const SECRET = 'aHVudGVyMg';
  const given = (await readFile(DUMP, 'utf8'))
    .replaceAll(/(last-applied-configuration: ).*/g, `$1"${SECRET}"`)
    .replace(
      'items:\n',
      `items:\n- apiVersion: v1\n  kind: Secret\n  metadata:\n    name: regcred\n  data:\n    .dockerconfigjson: ${SECRET}\n`,
    );
  const told: string[] = [];
  for (const argv of [
    ['import', '-'],
    ['import', '-', '--no-write', '-o', 'json'],
    ['drift', '-', '--debug'],
  ]) {
    const { code, stdout, stderr } = await run(argv, given);
    expect(code).toBe(EXIT.done);
    told.push(stdout, stderr);
  }
  expect(told.join()).toContain('the dump holds a Secret, which was not read');
  for (const file of await readdir(cwd)) told.push(await written(file));
  expect(told.join()).not.toContain(SECRET);
  const broken = given.replace('spec:\n', 'spec: [\n');
  const failed = await run(['drift', '-', '--debug'], broken);
  expect(failed.code).toBe(EXIT.badInput);
  expect(failed.stderr).not.toContain(SECRET);
});
