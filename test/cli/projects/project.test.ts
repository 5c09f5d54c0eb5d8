import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/packages');
const FROM = ['--from', `dir:${FIXTURES}`];
const HELM = 'xpkg.example.org/acme-contrib/provider-helm';
const KUBERNETES = 'xpkg.example.org/acme-contrib/provider-kubernetes';

let top: string;

beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'project-'));
  await mkdir(join(top, '.git'));
});

afterEach(() => rm(top, { recursive: true }));

const packageSet = (name: string | undefined, provider: string) => `
apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
${name === undefined ? '' : `metadata: { name: ${name} }`}
spec:
  crossplane: v1.20.11
  packages: [{ provider: ${provider}, version: '>=v0.1.0' }]
`;

const PACKAGE = `
apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata: { name: mine }
spec: { dependsOn: [{ provider: ${HELM}, version: '>=v0.1.0' }] }
`;

const PROJECTS = {
  'crossplane.yaml': PACKAGE,
  'crossplane-project.yaml': `
apiVersion: dev.crossplane.io/v1alpha1
kind: Project
metadata: { name: mine }
spec:
  crossplane: { version: '>=v1.0.0' }
  dependencies:
    - type: xpkg
      xpkg: { apiVersion: pkg.crossplane.io/v1, kind: Provider, package: ${HELM}, version: '>=v0.1.0' }
`,
  'upbound.yaml': `
apiVersion: meta.dev.upbound.io/v2alpha1
kind: Project
metadata: { name: mine }
spec: { dependsOn: [{ provider: ${HELM}, version: '>=v0.1.0' }] }
`,
};

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(top, file)), { recursive: true });
  await writeFile(join(top, file), text);
}

const read = (file: string) => readFile(join(top, file), 'utf8');

/** Returns the contents of every file. */
async function contents(): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(top, { recursive: true, withFileTypes: true });
  const paths = entries.filter((e) => e.isFile()).map((e) => join(e.parentPath, e.name));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')] as const)),
  );
}

async function runIn(folder: string, argv: readonly string[], stdin?: string) {
  const io = fakeIo({ cwd: join(top, folder), ...(stdin !== undefined && { stdin }) });
  const code = await runCli([...argv], io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

const run = (...argv: readonly string[]) => runIn('.', [...argv, ...FROM]);

const below = (...argv: readonly string[]) => runIn('apps/one', argv);
const inPackage = (...argv: readonly string[]) => runIn('pkg', argv);
const names = async () => (await readdir(join(top, 'pkg'), { recursive: true })).sort();

describe('a lockfile belongs to a package set:', () => {
  beforeEach(async () => {
    await write('xpkg.yaml', packageSet('platform', HELM));
    await write('staging/xpkg.yaml', packageSet('staging', KUBERNETES));
    expect((await run('resolve')).code).toBe(EXIT.done);
  });

  test('it records the name and files of the set, relative to the lockfile', async () => {
    expect(await read('xpkg.lock.yaml')).toContain(
      'inputs:\n  name: platform\n  files:\n    - xpkg.yaml\n',
    );
    await run('resolve', '--lock', 'locks/a/x.lock.yaml', '--no-bundle');
    expect(await read('locks/a/x.lock.yaml')).toContain('files:\n    - "../../xpkg.yaml"\n');
  });

  test.each([
    { argv: ['resolve', '-f', 'staging'] },
    { argv: ['resolve', '-f', 'staging/xpkg.yaml', '--upgrade'] },
    { argv: ['update', '-f', 'staging/xpkg.yaml'] },
    { argv: ['add', HELM, '-f', 'staging/xpkg.yaml'] },
    { argv: ['set', 'crossplane', 'v1.20.0', '-f', 'staging/xpkg.yaml'] },
  ])('$argv over it exits with 2 and suggestions, and writes nothing', async ({ argv }) => {
    const before = await contents();
    const { code, stdout, stderr } = await run(...argv);
    expect({ code, stdout }).toEqual({ code: EXIT.badInput, stdout: '' });
    expect(stderr).toContain(
      '`xpkg.lock.yaml` belongs to `platform` (xpkg.yaml), and is not overwritten with the packages of `staging` (staging/xpkg.yaml)',
    );
    for (const way of ['`-C staging`', '--lock FILE', '--out DIR', '`--replace-lock`']) {
      expect(stderr).toContain(way);
    }
    expect(await contents()).toEqual(before);
  });

  test('each suggestion works', async () => {
    const staging = ['resolve', '-f', 'staging'];
    const before = await read('xpkg.lock.yaml');
    const rendered = await read('rendered/packages.yaml');
    expect((await runIn('staging', ['resolve', ...FROM])).code).toBe(EXIT.done);
    const own = [...staging, '--lock', 'staging.lock.yaml', '--out', 'staging/rendered'];
    expect((await run(...own)).code).toBe(EXIT.done);
    expect(await read('xpkg.lock.yaml')).toBe(before);
    expect(await read('rendered/packages.yaml')).toBe(rendered);
    const dry = await run(...staging, '--replace-lock', '--dry-run');
    const { code, stdout, stderr } = await run(...staging, '--replace-lock');
    expect(code).toBe(EXIT.done);
    // The dry run does not prefer the versions of the lockfile that is replaced, either.
    expect([dry.code, dry.stdout]).toEqual([code, stdout]);
    expect(dry.stderr).not.toContain(`remove ${HELM}`);
    expect(stderr).not.toContain(`removed ${HELM}`);
    expect(await read('xpkg.lock.yaml')).toContain('name: staging');
    expect(await read('rendered/packages.yaml')).toContain('provider-kubernetes');
  });

  test('`rendered/` is not overwritten with the manifests of another set', async () => {
    const line = ['resolve', '-f', 'staging', '--lock', 'staging.lock.yaml'];
    const before = await contents();
    const { code, stderr } = await run(...line);
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain('`rendered/` holds the packages of `platform` (xpkg.yaml)');
    expect(stderr).toContain('`--out DIR`');
    expect(await contents()).toEqual(before);
    expect((await run(...line, '--no-bundle')).code).toBe(EXIT.done);
    const rendering = await runIn('.', ['render', '--lock', 'staging.lock.yaml']);
    expect(rendering.code).toBe(EXIT.badInput);
    expect(await read('rendered/packages.yaml')).toContain('provider-helm');
    const frozen = await run(...line, '--frozen');
    expect(frozen.code).toBe(EXIT.badInput);
  });

  test('`rendered/` is identified by the path of the lockfile, too', async () => {
    expect((await runIn('staging', ['resolve', ...FROM])).code).toBe(EXIT.done);
    const before = await contents();
    const lock = ['--lock', 'staging/xpkg.lock.yaml'];
    for (const line of [
      ['resolve', '-f', 'staging'],
      ['resolve', '-f', 'staging', '--frozen'],
    ]) {
      const { code, stderr } = await run(...line, ...lock);
      expect({ line, code }).toEqual({ line, code: EXIT.badInput });
      expect(stderr).toContain('those of `staging` (staging/xpkg.yaml)');
    }
    expect((await runIn('.', ['render', ...lock])).code).toBe(EXIT.badInput);
    expect((await runIn('.', ['render', ...lock, '--no-write'])).code).toBe(EXIT.done);
    expect(await contents()).toEqual(before);
    // A renamed set keeps a folder that is not next to its lockfile.
    const elsewhere = [...lock, '--out', 'out/staging'];
    expect((await run('resolve', '-f', 'staging', ...elsewhere)).code).toBe(EXIT.done);
    expect(await read('out/staging/kustomization.yaml')).toContain('"../staging/xpkg.yaml"');
    await write('staging/xpkg.yaml', packageSet('renamed', KUBERNETES));
    expect((await run('resolve', '-f', 'staging', ...elsewhere)).code).toBe(EXIT.done);
  });

  test('manifests of another set are a mismatch for `resolve --locked` and `check`', async () => {
    await runIn('staging', ['resolve', ...FROM]);
    await rm(join(top, 'rendered'), { recursive: true });
    await rename(join(top, 'staging/rendered'), join(top, 'rendered'));
    await rename(join(top, 'staging/xpkg.yaml'), join(top, 'staging/set.yaml'));
    const kustomization = await read('rendered/kustomization.yaml');
    await write('rendered/kustomization.yaml', kustomization.replace('xpkg.yaml', 'set.yaml'));
    for (const line of [['resolve', '--locked'], ['check'], ['verify']]) {
      expect({ line, code: (await run(...line)).code }).toEqual({ line, code: EXIT.lockMismatch });
    }
    expect((await run('resolve')).code).toBe(EXIT.badInput);
  });

  test('references, standard input and --no-write are always accepted', async () => {
    expect((await run('resolve', '-f', 'staging', '--no-write')).code).toBe(EXIT.done);
    const text = packageSet('staging', KUBERNETES);
    const piped = await runIn('.', ['resolve', '-f', '-', ...FROM], text);
    expect(piped.code).toBe(EXIT.done);
    expect(await read('xpkg.lock.yaml')).not.toContain('inputs:');
    await run('resolve', '--upgrade');
    await rm(join(top, 'xpkg.yaml'));
    expect((await run('resolve', `${KUBERNETES}@v0.18.0`)).code).toBe(EXIT.done);
  });

  test('a renamed or moved set keeps its lockfile', async () => {
    await write('xpkg.yaml', packageSet('renamed', HELM));
    expect((await run('resolve')).code).toBe(EXIT.done);
    await rename(join(top, 'xpkg.yaml'), join(top, 'other.yaml'));
    expect((await run('resolve', '-f', 'other.yaml')).code).toBe(EXIT.done);
    expect(await read('xpkg.lock.yaml')).toContain('name: renamed\n  files:\n    - other.yaml\n');
  });

  test('sets without a name are identified by their files', async () => {
    await write('a.yaml', packageSet(undefined, HELM));
    await write('b.yaml', packageSet(undefined, KUBERNETES));
    const lock = ['--lock', 'own.lock.yaml', '--no-bundle'];
    expect((await run('resolve', '-f', 'a.yaml', ...lock)).code).toBe(EXIT.done);
    expect((await run('resolve', '-f', 'a.yaml', '-f', 'b.yaml', ...lock)).code).toBe(EXIT.done);
    await run('resolve', '-f', 'a.yaml', ...lock);
    const { code, stderr } = await run('resolve', '-f', 'b.yaml', ...lock);
    expect([code, stderr]).toEqual([EXIT.badInput, expect.stringContaining('of `b.yaml`')]);
  });

  test('a lockfile without the record is accepted and not outdated', async () => {
    const text = (await read('xpkg.lock.yaml')).replace(/^inputs:\n(?: .*\n)+/m, '');
    const kustomization = (await read('rendered/kustomization.yaml')).replace(
      /^# Package.*\n/m,
      '',
    );
    await write('xpkg.lock.yaml', text);
    await write('rendered/kustomization.yaml', kustomization);
    for (const argv of [['resolve', '--locked'], ['check'], ['verify'], ['render', '--check']]) {
      const source = argv[0] === 'render' ? [] : FROM;
      expect(await runIn('.', [...argv, ...source])).toMatchObject({ code: EXIT.done });
    }
    expect(await read('xpkg.lock.yaml')).toBe(text);
    expect((await run('resolve', '-f', 'staging')).code).toBe(EXIT.done);
    expect(await read('xpkg.lock.yaml')).toContain('name: staging');
  });

  test('the record contains no absolute path', async () => {
    const lock = join(top, 'xpkg.lock.yaml');
    await run('resolve', '-f', join(top, 'xpkg.yaml'), '--lock', lock);
    expect(await read('xpkg.lock.yaml')).toContain('files:\n    - xpkg.yaml\n');
    const elsewhere = await mkdtemp(join(tmpdir(), 'project-'));
    try {
      await cp(join(top, 'xpkg.yaml'), join(elsewhere, 'xpkg.yaml'));
      await run('resolve', '-f', join(elsewhere, 'xpkg.yaml'));
      expect(await read('xpkg.lock.yaml')).toContain('name: platform\n  files: []\n');
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });
});

describe('the project is found in a parent folder:', () => {
  beforeEach(async () => {
    await write('base.yaml', packageSet('base', KUBERNETES));
    const set = packageSet('platform', HELM).replace('spec:', 'spec:\n  include: [base.yaml]');
    await write('xpkg.yaml', set);
    await mkdir(join(top, 'apps/one'), { recursive: true });
  });

  test('outputs are written there, and commands find them', async () => {
    const { code, stderr } = await below('resolve', ...FROM);
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('wrote ../../xpkg.lock.yaml and ../../rendered/');
    expect(await readdir(join(top, 'apps/one'))).toEqual([]);
    expect(await read('xpkg.lock.yaml')).toContain('files:\n    - xpkg.yaml\n');
    const there = await read('xpkg.lock.yaml');
    expect((await run('resolve')).stderr).toContain('are up to date');
    expect(await read('xpkg.lock.yaml')).toBe(there);
    expect((await below('tree')).stdout).toContain(HELM);
    expect((await below('resolve', '--locked', ...FROM)).code).toBe(EXIT.done);
    expect((await below('check', ...FROM)).code).toBe(EXIT.done);
    expect((await below('render', '--check')).code).toBe(EXIT.done);
    const removing = await below('remove', 'provider-helm', ...FROM);
    expect(removing.stderr).toContain(`removed ${HELM} from ../../xpkg.yaml`);
    expect(await read('xpkg.yaml')).not.toContain(HELM);
    const adding = await below('add', HELM, ...FROM);
    expect(adding.stderr).toContain(`added ${HELM} at`);
    expect(await read('xpkg.yaml')).toContain(HELM);
  });

  test('paths in flags are relative to the working folder', async () => {
    await cp(FIXTURES, join(top, 'apps/one/packages'), { recursive: true });
    const argv = ['resolve', '--from', 'dir:packages', '--lock', 'own.lock.yaml', '--out', 'own'];
    expect((await below(...argv)).code).toBe(EXIT.done);
    expect(await readdir(join(top, 'apps/one'))).toEqual(['own', 'own.lock.yaml', 'packages']);
    expect(await read('apps/one/own.lock.yaml')).toContain('files:\n    - "../../xpkg.yaml"\n');
  });

  test('references are not combined with it', async () => {
    const { code, stdout } = await below(
      'resolve',
      `${HELM}@v0.19.0`,
      '--crossplane',
      'v1.20.11',
      ...FROM,
    );
    expect(code).toBe(EXIT.done);
    expect(stdout).not.toContain(KUBERNETES);
    expect((await readdir(join(top, 'apps/one'))).sort()).toEqual(['rendered', 'xpkg.lock.yaml']);
    expect(await readdir(top)).not.toContain('xpkg.lock.yaml');
    expect((await below('tree')).stdout).toContain(`${HELM} v0.19.0`);
  });

  test('not above the repository, and not outside a repository', async () => {
    await mkdir(join(top, 'apps/.git'));
    const { code, stderr } = await below('resolve', ...FROM);
    expect([code, stderr]).toEqual([EXIT.badInput, expect.stringContaining('nothing to resolve')]);
    await rm(join(top, 'apps/.git'), { recursive: true });
    await rm(join(top, '.git'), { recursive: true });
    expect((await below('resolve', ...FROM)).code).toBe(EXIT.badInput);
  });

  test('the nearest folder is used, and `init` creates a project in a subfolder', async () => {
    expect((await below('init', HELM, ...FROM, '--crossplane', 'v1.20.11')).code).toBe(EXIT.done);
    const { code, stderr } = await below('resolve', ...FROM);
    expect([code, stderr]).toEqual([EXIT.done, expect.stringContaining('wrote xpkg.lock.yaml')]);
    expect(await readdir(top)).not.toContain('xpkg.lock.yaml');
  });
});

describe.each(Object.entries(PROJECTS))('in the folder of a package with %s', (file, text) => {
  const flags = [...FROM, '--crossplane', 'v1.20.11'];

  beforeEach(() => write(`pkg/${file}`, text));

  test.each([[[]], [['-f', file]], [['-f', '.']]])(
    'resolve %j writes xpkg.lock and renders nothing',
    async (named) => {
      const { code, stderr } = await inPackage('resolve', ...named, ...flags);
      expect([code, stderr]).toEqual([EXIT.done, expect.stringMatching(/^wrote xpkg\.lock$/m)]);
      expect(await names()).toEqual([file, 'xpkg.lock'].sort());
      expect(await read('pkg/xpkg.lock')).toContain(`name: mine\n  files:\n    - ${file}\n`);
      expect((await inPackage('resolve', '--locked', ...named, ...flags)).code).toBe(EXIT.done);
      expect((await inPackage('check', ...named, ...flags)).code).toBe(EXIT.done);
      expect((await inPackage('tree')).stdout).toContain(HELM);
    },
  );

  test.each([
    ['standard input', '.', ['-f', '-']],
    ['standard input in a subfolder', 'apis', ['-f', '-']],
    ['the files of another set', '.', ['-f', '../xpkg.yaml']],
    ['references in a subfolder', 'apis', [KUBERNETES]],
  ])('%s: xpkg.lock is written, and nothing is rendered', async (_, folder, named) => {
    await write('xpkg.yaml', packageSet('platform', HELM));
    await mkdir(join(top, 'pkg/apis'));
    const runHere = (...argv: readonly string[]) => runIn(join('pkg', folder), argv, text);
    const { code, stderr } = await runHere('resolve', ...named, ...flags);
    expect([code, stderr]).toEqual([EXIT.done, expect.stringMatching(/^wrote xpkg\.lock$/m)]);
    expect(await names()).toEqual([file, 'apis', join(folder, 'xpkg.lock')].sort());
    expect((await runHere('resolve', '--locked', ...named, ...flags)).code).toBe(EXIT.done);
    expect((await runHere('check', ...named, ...flags)).code).toBe(EXIT.done);
    expect((await runHere('tree')).code).toBe(EXIT.done);
    expect((await runHere('render')).stderr).toContain('--out DIR');
    expect((await runHere('resolve', ...named, '--out', 'x', ...flags)).code).toBe(EXIT.badInput);
  });

  test('--out must be outside', async () => {
    const before = await contents();
    await symlink('pkg', join(top, 'link'));
    for (const out of ['rendered', '.', '../pkg/a/b', '../link', '../link/a/b']) {
      const { code, stderr } = await inPackage('resolve', '--out', out, ...flags);
      expect([code, stderr]).toEqual([2, expect.stringContaining('is inside the package')]);
    }
    expect(await contents()).toEqual(before);
    expect((await inPackage('resolve', '--out', '../out', ...flags)).code).toBe(EXIT.done);
    expect(await readdir(join(top, 'out'))).toContain('packages.yaml');
    const rendering = await inPackage('render');
    expect([rendering.code, rendering.stderr]).toEqual([2, expect.stringContaining('--out DIR')]);
    expect((await inPackage('render', '--flux', 'flux')).code).toBe(EXIT.badInput);
    expect((await inPackage('render', '--out', '../out', '--check')).code).toBe(EXIT.done);
    expect((await inPackage('render', '--out', '-')).stdout).toContain(HELM);
  });

  test('--each has the same rule', async () => {
    await write('xpkg.yaml', packageSet('platform', HELM));
    const each = ['--each', `pkg/${file}`, '--each', 'xpkg.yaml'];
    expect((await run('resolve', ...each, '--crossplane', 'v1.20.11')).code).toBe(EXIT.done);
    expect(await names()).toEqual([file, 'xpkg.lock'].sort());
    expect(await readdir(top)).toEqual(expect.arrayContaining(['rendered', 'xpkg.lock.yaml']));
  });

  test('warns of a lockfile with a name that the build reads', async () => {
    const { code, stderr } = await inPackage('resolve', '--lock', 'own.yaml', ...flags);
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('xpkg build` fails on `own.yaml` in the folder of a package');
    for (const lock of ['own.lock', '../own.yaml']) {
      expect((await inPackage('resolve', '--lock', lock, ...flags)).stderr).not.toContain('fails');
    }
  });

  test('finds xpkg.lock.yaml first, with a warning that it breaks the build', async () => {
    await inPackage('resolve', ...flags);
    await rename(join(top, 'pkg/xpkg.lock'), join(top, 'pkg/xpkg.lock.yaml'));
    const { code, stderr } = await inPackage('resolve', ...flags);
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('xpkg build` fails on `xpkg.lock.yaml` in the folder of a package');
    expect(await names()).toEqual([file, 'xpkg.lock.yaml'].sort());
  });
});

test('a package set next to a package is a package set', async () => {
  await write('crossplane.yaml', PACKAGE);
  await write('xpkg.yaml', packageSet('platform', HELM));
  expect((await run('resolve')).stderr).toContain('wrote xpkg.lock.yaml and rendered/');
});
