import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { packageImage } from '../../support/registry/image.js';
import { writeTar } from '../../support/registry/layout.js';
import { pushSide } from '../../support/registry/push-side.js';
import { Registry } from '../../support/registry/registry.js';
import { xpkgFiles } from '../../support/registry/xpkg.js';

const SOURCE = 'xpkg.example.org/acme/provider-thing';
let cwd: string;

const crd = (name: string, size: string) => `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${name}.acme.dev
spec:
  group: acme.dev
  names: {kind: Thing, plural: ${name}}
  scope: Cluster
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: ${size}
`;

const meta = (verbs: string) => `apiVersion: meta.pkg.crossplane.io/v1
kind: Provider
metadata:
  name: provider-thing
spec:
  controller:
    permissionRequests:
    - {apiGroups: [""], resources: [secrets], verbs: ${verbs}}
`;

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd, env: { ...process.env, HOME: cwd } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes().join('\n') };
}

const FROM = ['--from', 'dir:packages'];
const git = (...words: readonly string[]) => execFileSync('git', words, { cwd, stdio: 'pipe' });

const texts = new Map<string, string>();
let registry: Registry;

beforeAll(async () => {
  registry = await new Registry({ faults: [pushSide()] }).start();
  cwd = await mkdtemp(join(tmpdir(), 'diff-'));
  const publish = async (version: string, text: string) => {
    const folder = join(cwd, 'packages', `${SOURCE}@${version}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.yaml'), text);
    const image = await packageImage(text);
    const entries = [{ name: 'package.yaml', content: text }];
    await writeTar(join(cwd, `${version}.xpkg`), await xpkgFiles([{ entries, label: 'base' }]));
    registry.push('acme/provider-thing', version, image);
    texts.set(version, text);
  };
  const evil = '{type: string, pattern: "`|<script>@all"}';
  await publish('v1.0.0', `${meta('[get]')}${crd('things', '{type: string}')}${crd('gone', '{}')}`);
  await publish('v1.1.0', `${meta('[get, list]')}${crd('things', evil)}${crd('new', '{}')}`);
  for (const version of ['v1.0.0', 'v1.1.0']) {
    const lock = ['--lock', `${version}.lock.yaml`, '--out', 'bundle'];
    await run('resolve', `${SOURCE}@${version}`, ...FROM, ...lock, '--crossplane', 'v1.20.0');
  }
  await writeFile(join(cwd, 'xpkg.lock.yaml'), await readFile(join(cwd, 'v1.0.0.lock.yaml')));
  git('init', '-q');
  git('add', 'xpkg.lock.yaml');
  git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'one');
  await writeFile(join(cwd, 'xpkg.lock.yaml'), await readFile(join(cwd, 'v1.1.0.lock.yaml')));
});

afterAll(() => registry.stop());

const LOCKS = ['diff', 'HEAD:xpkg.lock.yaml', 'xpkg.lock.yaml', ...FROM];

interface Printed {
  readonly packages: { readonly moved: readonly { readonly source: string }[] };
  readonly objects: readonly { readonly change: string; readonly name: string }[];
  readonly findings: readonly Readonly<Record<string, unknown>>[];
}

test('compares packages and schemas of a lockfile in git with one on disk', async () => {
  const { code, stdout } = await run(...LOCKS, '-o', 'json');
  const { packages, objects, findings } = JSON.parse(stdout) as Printed;
  expect(code).toBe(0);
  expect(packages.moved).toMatchObject([{ source: SOURCE, from: 'v1.0.0', to: 'v1.1.0' }]);
  expect(objects.map(({ change, name }) => `${change} ${name}`)).toEqual([
    'removed gone.acme.dev',
    'added new.acme.dev',
    'schema things.acme.dev',
  ]);
  expect(findings.map(({ severity, rule, path }) => [severity, rule, path].join(' '))).toEqual([
    'stored pattern-added spec.size',
    'writers object-orphaned ',
    'harmless permission-added spec.controller.permissionRequests',
  ]);
  expect(findings[0]).toMatchObject({
    object: 'things.acme.dev',
    version: 'v1',
    from: { source: SOURCE, version: 'v1.0.0', line: 29 },
    to: { source: SOURCE, version: 'v1.1.0', line: 29 },
  });
});

test('text has a few lines, worst first', async () => {
  const { stdout } = await run(...LOCKS);
  expect(stdout).toContain('packages: 0 added, 0 removed, 1 moved');
  expect(stdout).toContain(
    '1 breaks stored objects, 1 breaks writers, 0 break readers, 1 harmless',
  );
  expect(stdout.indexOf('stored   ')).toBeLessThan(stdout.indexOf('asks to list secrets'));
  expect(stdout.split('\n').length).toBeLessThan(24);
});

test('Markdown folds details, and text of packages cannot inject Markdown or HTML', async () => {
  const { stdout } = await run(...LOCKS, '-o', 'markdown');
  expect(stdout).toContain('<details><summary>breaks stored objects: 1 finding</summary>');
  expect(stdout).toContain(`"'|<script>@all"`);
  // Text outside of code comes from the tool.
  const outside = stdout.replaceAll(/`[^`\n]*`/g, '');
  expect(outside).not.toMatch(/script|@all/);
});

describe('exit code', () => {
  test.each([
    [6, ['--fail-on', 'stored']],
    [6, ['--exit-code']],
    [6, ['--exit-code', '--fail-on', 'harmless']],
    [0, ['--no-schemas']],
    [2, ['--fail-on', 'worst']],
  ])('%d with %j', async (code, flags) => {
    expect((await run(...LOCKS, ...flags)).code).toBe(code);
  });

  test('a change below the requested severity does not fail', async () => {
    const same = ['diff', 'xpkg.lock.yaml', 'v1.1.0.lock.yaml', ...FROM];
    const { code, stdout } = await run(...same, '--fail-on', 'harmless');
    expect([code, stdout]).toEqual([0, 'nothing differs\n']);
  });
});

describe('inputs', () => {
  test('a git revision means its lockfile', async () => {
    const { code, stdout } = await run('diff', 'HEAD', 'xpkg.lock.yaml', '--no-schemas');
    expect([code, stdout]).toEqual([0, expect.stringContaining('v1.0.0 → v1.1.0')]);
  });

  test.each([
    ['references', [`${SOURCE}@v1.0.0`, `${SOURCE}:v1.1.0`]],
    ['folders', [`packages/${SOURCE}@v1.0.0`, `packages/${SOURCE}@v1.1.0`]],
    ['.xpkg files', ['v1.0.0.xpkg', 'v1.1.0.xpkg']],
    ['a file and a reference', ['v1.0.0.xpkg', `${SOURCE}@^v1.0.0`]],
    ['files', [`packages/${SOURCE}@v1.0.0/package.yaml`, `packages/${SOURCE}@v1.1.0/package.yaml`]],
  ])('two packages: %s', async (_, named) => {
    const { stdout } = await run('diff', ...named, ...FROM, '-o', 'json');
    const { findings } = JSON.parse(stdout) as Printed;
    expect(findings.map(({ rule }) => rule)).toEqual([
      'pattern-added',
      'object-orphaned',
      'permission-added',
    ]);
  });

  test('pushed lockfiles, and packages in a registry', async () => {
    const at = (path: string) => `${registry.host}/${path}`;
    const [old, newer] = ['v1.0.0', 'v1.1.0'].map((tag) => `oci://${at(`acme/lock:${tag}`)}`);
    for (const [name, version] of [
      [old!, 'v1.0.0'],
      [newer!, 'v1.1.0'],
    ] as const) {
      await run('push', name, '--lock', `${version}.lock.yaml`);
    }
    const locks = await run('diff', old!, newer!, ...FROM, '-o', 'json');
    const images = ['v1.0.0', 'v1.1.0'].map((tag) => at(`acme/provider-thing:${tag}`));
    const requestsBefore = registry.log.length;
    const packages = await run('diff', ...images, '-o', 'json');
    for (const { stdout } of [locks, packages]) {
      const { findings } = JSON.parse(stdout) as Printed;
      expect(findings.map(({ rule }) => rule)).toEqual([
        'pattern-added',
        'object-orphaned',
        'permission-added',
      ]);
    }
    const blobs = registry.log.slice(requestsBefore).filter(({ path }) => path.includes('/blobs/'));
    expect(blobs.length).toBe(2); // each base layer once
  });

  test('fails if a package cannot be read completely', async () => {
    await mkdir(join(cwd, 'cut'));
    await writeFile(join(cwd, 'cut', 'package.yaml'), `${texts.get('v1.0.0')!}--- nonsense\n`);
    const ran = await run('diff', 'cut', `packages/${SOURCE}@v1.1.0`);
    expect([ran.code, ran.stdout]).toEqual([2, '']);
    expect(ran.notes).toContain('`cut` cannot be read to its end');
  });

  test.each([
    [2, ['xpkg.lock.yaml', `packages/${SOURCE}@v1.0.0`], 'is none'],
    [2, ['HEAD:none.yaml', 'xpkg.lock.yaml'], 'git cannot show `HEAD:none.yaml`'],
    [2, ['none.yaml', 'xpkg.lock.yaml'], 'is none'],
    [5, ['HEAD', 'xpkg.lock.yaml', '--offline'], '`--offline` forbids the network'],
  ])('exit %d: %j', async (code, named, said) => {
    const ran = await run('diff', ...named);
    expect([ran.code, ran.notes]).toEqual([code, expect.stringContaining(said)]);
  });
});

const things = (type: string) => crd('things', `{type: ${type}}`);

describe('packages in the legacy `.registry` format', () => {
  const APP = 'title: Things\nversion: 0.1.0\n';
  const OLD = 'registry.example.org/acme/things';

  async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries({ 'app.yaml': APP, ...files })) {
      const path = join(cwd, folder, '.registry', name);
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, text);
    }
  }

  beforeAll(async () => {
    await write('first', { 'resources/things.crd.yaml': things('string') });
    await write('second', { 'resources/things.crd.yaml': things('integer') });
    await write(`old-packages/${OLD}@v0.1.0`, { 'resources/things.crd.yaml': things('string') });
    await write(`old-packages/${OLD}@v0.2.0`, { 'resources/things.crd.yaml': things('integer') });
    const parts = {
      'resources/a.crd.yaml': things('string'),
      'resources/b.crd.yaml': things('string'),
    };
    await write('parted', parts);
  });

  test.each([
    ['folders', ['first', 'second']],
    ['their `.registry` folders', ['first/.registry', 'second/.registry']],
    ['images', [`${OLD}@v0.1.0`, `${OLD}@v0.2.0`, '--from', 'dir:old-packages', '--compat']],
  ])('are compared as %s', async (_, argv) => {
    const { code, stdout } = await run('diff', ...argv, '-o', 'json', '--fail-on', 'stored');
    expect(code).toBe(6);
    const { findings } = JSON.parse(stdout) as { findings: object[] };
    expect(findings).toMatchObject([
      { rule: 'type-changed', path: 'spec.size', from: { line: 21 }, to: { line: 21 } },
    ]);
  });

  test('a CRD that is split over several files is not compared, with a note', async () => {
    const { code, notes } = await run('diff', 'parted', 'second');
    expect(code).toBe(0);
    expect(notes).toContain('parted: CRD things.acme.dev is in several files, and is not compared');
  });

  test('a folder that is not a package is rejected', async () => {
    const { code, notes } = await run('diff', 'packages', 'second');
    expect(code).toBe(2);
    expect(notes).toContain('`packages` holds neither a crossplane.yaml nor a package.yaml');
  });
});

test('an upgrade to Crossplane v2 names the packages with metadata that v2 does not read', async () => {
  const lock = ['--lock', 'v2.lock.yaml', '--no-bundle', '--crossplane', 'v2.3.4'];
  expect(await run('resolve', `${SOURCE}@v1.0.0`, ...FROM, ...lock)).toMatchObject({ code: 0 });
  const named = (release: string) =>
    `${SOURCE} v1.0.0: Crossplane ${release} does not read \`spec.controller.permissionRequests\``;
  const unchecked = `not checked: whether the metadata of ${SOURCE} v1.0.0 has`;
  const toV2 = ['v1.0.0.lock.yaml', 'v2.lock.yaml'];
  const { notes } = await run('diff', ...toV2, ...FROM);
  expect(notes).toContain(`warning: ${named('v2.3.4')}`);
  const outputOf = async (...format: readonly string[]) =>
    (await run('diff', ...toV2, ...FROM, ...format)).stdout;
  expect(await outputOf('-o', 'markdown')).toContain(named('v2.3.4').replaceAll('`', "'"));
  expect(await outputOf('--format', 'github')).toMatch(
    /^::warning .*api-dropped::.*does not read/m,
  );
  expect(JSON.parse(await outputOf('-o', 'json'))).toMatchObject({
    warnings: [expect.stringContaining(named('v2.3.4')) as string],
  });
  expect(notes).not.toContain('not checked');
  expect((await run('diff', ...toV2, ...FROM, '--no-schemas')).notes).toContain(unchecked);
  expect((await run(...LOCKS)).notes).not.toContain('does not read');

  const plan = (...more: readonly string[]) => run('plan', ...toV2, ...more, '-o', 'json');
  expect((await plan(...FROM)).stdout).toContain(named('v2.0.8'));
  expect((await plan()).stdout).toContain(unchecked);
});
