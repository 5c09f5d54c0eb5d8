import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import { knownReleases } from '../../../src/crossplane/releases/target.js';
import { fakeIo } from '../../support/fake-io.js';

const HOST = 'xpkg.example.org/acme';
const NEWEST = knownReleases().at(-1)!;
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

const INDEX: IndexFile = {
  packages: {
    [`${HOST}/configuration-a`]: {
      kind: 'Configuration',
      versions: {
        'v1.0.0': {
          digest: digest('a'),
          dependsOn: [{ provider: `${HOST}/provider-b`, version: '>=v1.0.0' }],
        },
      },
    },
    [`${HOST}/provider-b`]: {
      kind: 'Provider',
      versions: {
        'v1.0.0': { digest: digest('1') },
        'v1.1.0': { digest: digest('2'), crossplane: '<v2.0.0' },
      },
    },
  },
};

let cwd: string;

beforeEach(() => {
  cwd = join(mkdtempSync(join(tmpdir(), 'init-')), 'My Platform');
  mkdirSync(cwd);
  write('index.json', JSON.stringify(INDEX));
});

afterEach(() => rmSync(join(cwd, '..'), { recursive: true }));

function write(file: string, text: string): void {
  writeFileSync(join(cwd, file), text);
}

function written(): string {
  return readFileSync(join(cwd, 'xpkg.yaml'), 'utf8');
}

/** Returns the written lines without comments, from `spec` on. */
function spec(): string {
  const lines = written().split('\n');
  const said = lines.filter((line) => !/^ *#/.test(line));
  return said.slice(said.indexOf('spec:') + 1).join('\n');
}

async function run(words: readonly string[], given: Parameters<typeof fakeIo>[0] = {}) {
  const io = fakeIo({ cwd, ...given });
  const code = await runCli([...words, '--from', 'index:index.json'], io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

/** Returns whether the written file can be resolved. */
async function resolves(): Promise<boolean> {
  return (await run(['resolve'])).code === EXIT.done;
}

test('an empty project for the newest release, named after the folder', async () => {
  const { code, stderr } = await run(['init']);
  expect(code).toBe(EXIT.done);
  expect(stderr).toContain('wrote xpkg.yaml');
  expect(written()).toContain('\n  name: my-platform\n');
  expect(spec()).toBe(`  crossplane: ${NEWEST}\n  packages: []\n`);
  expect(await resolves()).toBe(true);
});

test('from names: by kind, at `^` of the newest version that fits, or at the given version', async () => {
  const refs = [`${HOST}/configuration-a@>=v1.0.0`, `${HOST}/provider-b`];
  expect((await run(['init', ...refs, '--crossplane', 'v1.20.0'])).code).toBe(EXIT.done);
  expect(spec()).toBe(`  crossplane: v1.20.0
  packages:
    - configuration: ${HOST}/configuration-a
      version: ">=v1.0.0"
    - provider: ${HOST}/provider-b
      version: "^v1.1.0"
`);
  expect(await resolves()).toBe(true);
});

test('from the last parts of names that a source lists', async () => {
  await run(['init', 'provider-b@<v1.1.0', '--crossplane', 'v1.20.0']);
  expect(spec()).toContain(`    - provider: ${HOST}/provider-b\n      version: "<v1.1.0"\n`);
});

const DUMP = `apiVersion: v1
kind: List
items:
  - apiVersion: pkg.crossplane.io/v1
    kind: Provider
    metadata: { name: acme-provider-b, uid: 1-2 }
    spec:
      package: ${HOST}/provider-b:v1.0.0
      revisionHistoryLimit: 1
      runtimeConfigRef: { apiVersion: pkg.crossplane.io/v1beta1, kind: DeploymentRuntimeConfig, name: big }
  - apiVersion: pkg.crossplane.io/v1
    kind: Configuration
    metadata: { name: mine }
    spec:
      package: ${HOST}/configuration-a:v1.0.0
      revisionActivationPolicy: Automatic
      skipDependencyResolution: false
  - apiVersion: pkg.crossplane.io/v1
    kind: ProviderRevision
    metadata: { name: b-0123456789ab }
`;

test.each(['a file', 'a folder', 'standard input'])(
  'from what a cluster has, in %s: exact versions, names and fields that are not defaults',
  async (where) => {
    mkdirSync(join(cwd, 'dump'));
    write('dump/all.yaml', DUMP);
    const path = { 'a file': 'dump/all.yaml', 'a folder': 'dump' }[where] ?? '-';
    const { code } = await run(['init', '-f', path], { stdin: DUMP });
    expect(code).toBe(EXIT.done);
    expect(spec()).toBe(`  crossplane: ${NEWEST}
  packages:
    - configuration: ${HOST}/configuration-a
      version: v1.0.0
      name: mine
    - provider: ${HOST}/provider-b
      version: v1.0.0
      spec:
        runtimeConfigRef:
          apiVersion: pkg.crossplane.io/v1beta1
          kind: DeploymentRuntimeConfig
          name: big
`);
    expect(written()).toContain('# Required by others as well');
    expect(await resolves()).toBe(true);
  },
);

test('from the crossplane.yaml in this folder: includes it, for a release that it supports', async () => {
  write(
    'crossplane.yaml',
    `apiVersion: meta.pkg.crossplane.io/v1\nkind: Configuration\nmetadata: { name: mine }\nspec:\n  crossplane: { version: "<v2.0.0" }\n  dependsOn: [{ provider: ${HOST}/provider-b, version: ^v1.0.0 }]\n`,
  );
  expect((await run(['init'])).code).toBe(EXIT.done);
  expect(spec()).toMatch(/^ {2}crossplane: v1\.\d+\.\d+\n {2}include:\n {4}- crossplane\.yaml\n/);
  expect(await resolves()).toBe(true);
  expect(readFileSync(join(cwd, 'xpkg.lock.yaml'), 'utf8')).toContain('version: v1.1.0');
});

function config(name: string): string {
  return `apiVersion: pkg.crossplane.io/v1beta1\nkind: ImageConfig\nmetadata: { name: ${name} }\nspec: {}\n`;
}

test('includes extra manifests from their own file, or else lists them', async () => {
  write('mirrors.yaml', config('own'));
  write('all.yaml', `${config('mixed')}---\n${DUMP}`);
  const { stderr } = await run(['init', '-f', 'mirrors.yaml', '-f', 'all.yaml']);
  expect(spec()).toContain('  include:\n    - mirrors.yaml\n');
  expect(stderr).toContain('note: ImageConfig `mixed` is not in it');
});

test('lists labels and annotations that cannot be written', async () => {
  write('all.yaml', DUMP.replace('{ name: mine }', '{ name: mine, labels: { team: a } }'));
  const { stderr } = await run(['init', '-f', 'all.yaml']);
  expect(stderr).toContain('note: labels of Configuration `mine` are not in it');
  expect(stderr).not.toContain('annotations');
});

test('asks for the release in a terminal, unless a flag sets it', async () => {
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return ' >=v1.20.0 ';
  };
  await run(['init', '--crossplane', 'v2.0.2', '--no-write'], { ask });
  expect(asked).toEqual([]);
  await run(['init'], { ask });
  expect(asked).toEqual([`Crossplane release, or a range of releases [${NEWEST}]: `]);
  expect(spec()).toContain('crossplane: ">=v1.20.0"');
  expect(await resolves()).toBe(true);
});

test('--no-write prints it; -o json gives file and text', async () => {
  const { stdout } = await run(['init', '--no-write']);
  expect(stdout).toContain('kind: PackageSet');
  const json = await run(['init', '-o', 'json', '--no-write']);
  expect(JSON.parse(json.stdout)).toEqual({
    schemaVersion: 1,
    status: 'solved',
    file: 'xpkg.yaml',
    text: stdout,
  });
  expect(existsSync(join(cwd, 'xpkg.yaml'))).toBe(false);
});

test('does not overwrite an existing file', async () => {
  write('xpkg.yaml', 'mine\n');
  const { code, stderr } = await run(['init']);
  expect(code).toBe(EXIT.badInput);
  expect(stderr).toContain('is there already');
  expect(written()).toBe('mine\n');
});

test.each([
  { args: [`${HOST}/provider-b@>=v9.0.0`], code: EXIT.unsolvable, says: '>=v9.0.0' },
  { args: ['-f', 'gone.yaml'], code: EXIT.badInput, says: 'no such file' },
  { args: ['--crossplane', 'soon'], code: EXIT.badInput, says: 'neither a version nor a range' },
  { args: ['-f', 'set.yaml'], code: EXIT.badInput, says: 'spec.include' },
])('$args ends with exit code $code and writes nothing', async ({ args, code, says }) => {
  write(
    'set.yaml',
    'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec: { packages: [{ crd: a.b.c }] }\n',
  );
  const given = await run(['init', ...args]);
  expect(given.code).toBe(code);
  expect(given.stderr).toContain(says);
  expect(existsSync(join(cwd, 'xpkg.yaml'))).toBe(false);
});
