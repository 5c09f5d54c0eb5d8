import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../src/cli/kit/command.js';
import { runCli } from '../src/commands.js';
import { fakeIo } from './support/fake-io.js';

const FIXTURES = join(import.meta.dirname, '../fixtures/old-formats');
const PACKAGES = join(FIXTURES, 'packages');
const REGISTRY = 'registry.example.org';
const FROM = ['--from', `dir:${PACKAGES}`];

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'old-formats-'));
});

afterEach(() => rmSync(cwd, { recursive: true }));

async function run(...words: string[]) {
  const io = fakeIo({ cwd });
  const code = await runCli(words, io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

interface Solved {
  readonly packages: readonly { readonly source: string; readonly version: string }[];
}

/** What is chosen, by the end of its name. */
async function closure(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await run('resolve', '--no-write', '-o', 'json', ...words);
  expect(code, stderr + stdout).toBe(EXIT.done);
  const { packages } = JSON.parse(stdout) as Solved;
  return packages.map(({ source, version }) => `${source.split('/').at(-1)} ${version}`);
}

const BLOG = ['app-blog v0.1.0', 'provider-cloud v0.1.0', 'store v0.1.1'];

/** Each example of the design document, by what it shows there. */
describe('examples of the first format', () => {
  test.each([
    {
      shows: 'an install by package, at a tag, from a registry',
      given: ['-f', join(FIXTURES, 'inputs/by-package.yaml')],
      want: ['provider-cloud v0.1.0'],
    },
    {
      shows: 'an install by CRD, with what its owner depends on',
      given: ['-f', join(FIXTURES, 'inputs/by-crd.yaml')],
      want: BLOG,
    },
    {
      shows: 'an install of a private package without a tag',
      given: ['-f', join(FIXTURES, 'inputs/private.yaml')],
      want: ['image latest'],
    },
    {
      shows: 'the whole layout, with icons, ui-schemas, groups, resources, two versions of a CRD',
      given: [`${REGISTRY}/samples/provider-cloud@v0.1.0`],
      want: ['provider-cloud v0.1.0'],
    },
    {
      shows: 'the smallest layout, two CRDs in one file',
      given: [`${REGISTRY}/samples/store@v0.1.0`],
      want: ['store v0.1.0'],
    },
    {
      shows: 'an app.yaml that depends on a CRD by name and on any of a group; an annotated CRD',
      given: [`${REGISTRY}/samples/app-blog@v0.1.0`],
      want: BLOG,
    },
    {
      shows: 'a package without install.yaml',
      given: [`${REGISTRY}/private-user/image:latest`],
      want: ['image latest'],
    },
    {
      shows: 'a package in a folder of its own, which is not installed itself',
      given: ['-f', join(PACKAGES, REGISTRY, 'samples/app-blog@v0.1.0')],
      want: BLOG.slice(1),
    },
  ])('$shows', async ({ given, want }) => {
    for (const release of ['v1.14.0', 'v1.20.0', 'v2.3.4']) {
      expect(await closure(...given, '--compat', '--crossplane', release, ...FROM)).toEqual(want);
    }
  });

  test.each([
    {
      shows: 'the record of a package, which asks for nothing',
      given: ['-f', join(FIXTURES, 'inputs/record.yaml')],
      code: EXIT.badInput,
      says: /Package, which records an install and asks for none/,
    },
    {
      shows: 'a CRD by the name of one instance',
      given: [`${REGISTRY}/samples/wanting@v0.1.0`],
      code: EXIT.unsolvable,
      says: /no package in the sources given owns it/,
    },
    {
      shows: 'a layout without app.yaml',
      given: [`${REGISTRY}/samples/nameless@v0.1.0`],
      code: EXIT.unsolvable,
      says: /holds no `app.yaml`/,
    },
  ])('refused: $shows', async ({ given, code, says }) => {
    const got = await run('resolve', '--no-write', '--compat', ...given, ...FROM);
    expect(got.code).toBe(code);
    expect(got.stderr.replaceAll(/\s+/g, ' ')).toMatch(says);
  });
});

describe('without --compat, errors name the flag:', () => {
  const folder = join(PACKAGES, REGISTRY, 'samples/app-blog@v0.1.0');
  test.each([
    { command: ['resolve', `${REGISTRY}/samples/app-blog@v0.1.0`, ...FROM], code: EXIT.unsolvable },
    {
      command: ['resolve', '-f', join(FIXTURES, 'inputs/by-crd.yaml'), ...FROM],
      code: EXIT.badInput,
    },
    {
      command: ['resolve', '-f', join(folder, '.registry/app.yaml'), ...FROM],
      code: EXIT.badInput,
    },
    { command: ['lint', folder], code: EXIT.findings },
    { command: ['inspect', folder], code: EXIT.done },
    { command: ['index', ...FROM], code: EXIT.done },
  ])('$command.0 $command.1', async ({ command, code }) => {
    const got = await run(...command);
    expect(got.code, got.stderr).toBe(code);
    expect(`${got.stdout}${got.stderr}`).toContain('`--compat`');
  });
});

test('inspect, lint, index and resolve read it alike from a folder, an image and an index', async () => {
  const all = ['--compat', '--crossplane', 'v2.3.4'];
  const ref = `${REGISTRY}/samples/app-blog@v0.1.0`;
  expect((await run('resolve', ref, ...all, ...FROM)).code).toBe(EXIT.done);
  const lock = readFileSync(join(cwd, 'xpkg.lock.yaml'), 'utf8');
  expect((await run('vendor', 'images', ...FROM)).code).toBe(EXIT.done);
  expect((await run('index', '--compat', '--out', 'index.json', ...FROM)).code).toBe(EXIT.done);
  for (const from of ['layout:images', 'index:index.json']) {
    rmSync(join(cwd, 'xpkg.lock.yaml'));
    expect((await run('resolve', ref, ...all, '--from', from)).code, from).toBe(EXIT.done);
    expect(readFileSync(join(cwd, 'xpkg.lock.yaml'), 'utf8'), from).toBe(lock);
    const told = await run('inspect', ref, ...all, '-o', 'json', '--from', from);
    expect(JSON.parse(told.stdout), from).toMatchObject({
      accepted: true,
      kind: 'Provider',
      dependsOn: [
        { crd: 'mysqls.databases.example.org/v1alpha1' },
        { crd: '*.store.example.org/v1alpha1' },
      ],
      owns: { 'apps.example.org': { CRD: ['blogs.apps.example.org'] } },
    });
    expect((await run('lint', ref, ...all, '--from', from)).code, from).toBe(EXIT.done);
  }
  const verified = await run('verify', ref, ...all, '--from', 'layout:images');
  expect(verified.code, verified.stderr).toBe(EXIT.done);
});

const install = (spec: string, metadata = '{name: a}') =>
  `apiVersion: packages.crossplane.io/v1alpha1\nkind: PackageInstall\nmetadata: ${metadata}\nspec: ${spec}\n`;

async function resolving(text: string, ...more: string[]) {
  writeFileSync(join(cwd, 'install.yaml'), text);
  return run('resolve', '--compat', '-f', 'install.yaml', ...FROM, ...more);
}

const baskets = (source: string) =>
  install(`{source: ${source}, crd: "baskets.store.example.org/*"}`);

describe('a package install', () => {
  test.each([
    { why: 'neither', spec: `{source: ${REGISTRY}}`, says: /neither a package nor a CRD/ },
    { why: 'both', spec: '{package: a/b, crd: a.b.org}', says: /names both/ },
    { why: 'a URL', spec: '{source: "https://x.org", package: a/b}', says: /is no registry/ },
    { why: 'no reference', spec: '{package: "a b"}', says: /is no package: `a b`/ },
    { why: 'no CRD', spec: '{crd: nonsense}', says: /names no CRD/ },
    { why: 'a number', spec: '{package: 5}', says: /`spec.package` must be text/ },
  ])('that names $why is refused', async ({ spec, says }) => {
    const { code, stderr } = await resolving(install(spec));
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toMatch(says);
  });

  test('keeps its name, its pull policy and its secrets', async () => {
    const spec = `{source: ${REGISTRY}/, package: "samples/store:v0.1.0", imagePullPolicy: Always, imagePullSecrets: [{name: s}]}`;
    expect((await resolving(install(spec))).code).toBe(EXIT.done);
    expect(readFileSync(join(cwd, 'rendered/packages.yaml'), 'utf8')).toContain(`  name: a
spec:
  package: ${REGISTRY}/samples/store:v0.1.0
  packagePullPolicy: Always
  packagePullSecrets:
    - name: s
`);
  });

  test('by CRD takes an owner at its source alone', async () => {
    expect((await resolving(baskets(REGISTRY))).code).toBe(EXIT.done);
    const { code, stderr } = await resolving(baskets('registry.example.com'));
    expect(code).toBe(EXIT.unsolvable);
    expect(stderr).toContain('baskets.store.example.org at registry.example.com');
  });

  test('that cannot be met is changed by a hint, in its own words', async () => {
    const text = `${install(`{source: ${REGISTRY}, package: "samples/provider-cloud:v0.2.0"}`)}---\n${install('{crd: blogs.apps.example.org}', '{name: b}')}`;
    expect((await resolving(text)).code).toBe(EXIT.unsolvable);
    const fixed = await resolving(text, '--apply-hint', '1');
    expect(fixed.code, fixed.stderr).toBe(EXIT.done);
    expect(readFileSync(join(cwd, 'install.yaml'), 'utf8')).toContain(
      'samples/provider-cloud:v0.1.0',
    );
  });
});
