import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readInputs, requestFromPackageSet } from '../../../src/project/inputs/read-inputs.js';
import { InputError } from '../../../src/base/errors.js';
import type { PackageRoot } from '../../../src/project/inputs/request.js';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'include-'));
});

afterEach(() => rmSync(cwd, { recursive: true }));

/** Writes files. A PackageSet is given by the lines below `spec`. */
function given(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    const head = 'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec:\n';
    const body = text.startsWith('apiVersion') ? text : `${head}${text.replaceAll(/^/gm, '  ')}`;
    writeFileSync(join(cwd, path), `${body}\n`);
  }
}

async function read(...files: string[]) {
  return (await readInputs({ files, refs: [], cwd, stdin: async () => '' })).request;
}

async function refusal(...files: string[]): Promise<InputError> {
  const error: unknown = await read(...files).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InputError);
  return error as InputError;
}

async function packages(...files: string[]): Promise<readonly (readonly string[])[]> {
  const { roots } = await read(...files);
  return roots.map((root) => {
    const { repository, version, origin } = root as PackageRoot;
    const text = version.form === 'text' ? version.text : version.form;
    return [repository, text, `${origin.file}:${origin.line}`];
  });
}

const BASE = `crossplane: v1.20.0
packages:
  - provider: h.io/a/p
    version: ^v1.0.0
    name: mine
    spec: { revisionHistoryLimit: 1, packagePullPolicy: Always }
  - function: h.io/a/f
    version: v1.0.0
overrides:
  - { package: h.io/a/x, version: v1 }
  - { package: h.io/a/y, version: v1 }
exclude:
  - { package: h.io/a/p, version: v1.0.1 }
defaults:
  spec: { revisionHistoryLimit: 3, packagePullPolicy: Never }`;

describe('a PackageSet that includes another', () => {
  test('overrides the fields that it sets', async () => {
    given({
      'base.yaml': BASE,
      'envs/prod/xpkg.yaml': `include: [../../base.yaml]
crossplane: v2.0.2
packages:
  - package: h.io/a/new
  - provider: h.io/a/p
    version: ^v2.0.0
    spec: { revisionHistoryLimit: 9 }
overrides:
  - { package: h.io/a/x, version: v2 }
defaults:
  spec: { revisionHistoryLimit: 5 }`,
    });
    const request = await read('envs/prod/xpkg.yaml');
    expect(await packages('envs/prod/xpkg.yaml')).toEqual([
      ['h.io/a/p', '^v2.0.0', 'envs/prod/xpkg.yaml:8'],
      ['h.io/a/f', 'v1.0.0', 'base.yaml:10'],
      ['h.io/a/new', '*', 'envs/prod/xpkg.yaml:7'],
    ]);
    expect(request.crossplane?.text).toBe('v2.0.2');
    expect(request.roots[0]).toMatchObject({
      name: 'mine',
      spec: { revisionHistoryLimit: 9, packagePullPolicy: 'Always' },
    });
    expect(request.overrides.map(({ repository, version }) => [repository, version])).toEqual([
      ['h.io/a/y', 'v1'],
      ['h.io/a/x', 'v2'],
    ]);
    expect(request.exclude).toHaveLength(1);
    expect(request.defaults).toEqual({ revisionHistoryLimit: 5, packagePullPolicy: 'Never' });
  });

  test('keeps the included version if it has none', async () => {
    given({
      'base.yaml': BASE,
      'xpkg.yaml': 'include: [base.yaml]\npackages: [{ provider: h.io/a/p }]',
    });
    expect((await packages('xpkg.yaml'))[0]).toEqual(['h.io/a/p', '^v1.0.0', 'base.yaml:6']);
  });

  test('includes files over several levels', async () => {
    given({
      'a.yaml': BASE,
      'b.yaml': 'include: [a.yaml]\npackages: [{ provider: h.io/a/p, version: ^v2.0.0 }]',
      'xpkg.yaml': 'include: [b.yaml]\npackages: [{ provider: h.io/a/p, version: ^v3.0.0 }]',
    });
    expect(await packages('xpkg.yaml')).toEqual([
      ['h.io/a/p', '^v3.0.0', 'xpkg.yaml:5'],
      ['h.io/a/f', 'v1.0.0', 'a.yaml:10'],
    ]);
  });

  test('overrides allowUndigested and crossplanes', async () => {
    given({
      'base.yaml': 'allowUndigested: true\ncrossplanes: [v1.20.0, v2.0.2]',
      'as-it-is.yaml': 'include: [base.yaml]',
      'other.yaml': 'include: [base.yaml]\nallowUndigested: false\ncrossplanes: [">=v2.0.0"]',
    });
    const { allowUndigested, crossplanes } = await read('as-it-is.yaml');
    expect([allowUndigested, crossplanes?.texts]).toEqual([true, ['v1.20.0', 'v2.0.2']]);
    const other = await read('other.yaml');
    expect([other.allowUndigested, other.crossplanes?.texts]).toEqual([undefined, ['>=v2.0.0']]);
  });
});

test('a file that is included twice, or also named, counts once', async () => {
  given({
    'sets/base.yaml': BASE,
    'sets/one.yaml': 'include: [base.yaml]',
    'sets/two.yaml': 'include: [base.yaml]\npackages: [{ package: h.io/a/q }]',
  });
  const found = (await packages('sets')).map(([repository]) => repository);
  expect(found).toEqual(['h.io/a/p', 'h.io/a/f', 'h.io/a/q']);
});

test('objects of an included file are extra manifests', async () => {
  given({
    'base.yaml':
      'apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: { name: p }\nspec: { package: h.io/a/p:v1.0.0 }',
    'xpkg.yaml': 'include: [base.yaml]',
  });
  expect(await packages('xpkg.yaml')).toEqual([['h.io/a/p', 'tag', 'base.yaml:1']]);
});

describe('errors with both places', () => {
  test('a loop', async () => {
    given({ 'a.yaml': 'include: [b.yaml]', 'b.yaml': 'include: [a.yaml]' });
    const { message } = await refusal('a.yaml');
    expect(message).toBe(
      'b.yaml:4: `a.yaml` includes itself, by way of a.yaml:4, then b.yaml:4 (included at a.yaml:4)',
    );
  });

  test('a missing file', async () => {
    given({ 'xpkg.yaml': 'include: [gone.yaml]' });
    const { message, origin } = await refusal('xpkg.yaml');
    expect(message).toBe('gone.yaml: there is no such file or folder (included at xpkg.yaml:4)');
    expect(origin).toEqual({ file: 'gone.yaml' });
  });

  test('a mistake in an included file', async () => {
    given({ 'base.yaml': 'packages: [{ provder: x }]', 'xpkg.yaml': 'include:\n  - base.yaml' });
    expect((await refusal('xpkg.yaml')).message).toContain('(included at xpkg.yaml:5)');
  });

  test('two included files that require the same package', async () => {
    given({ 'a.yaml': BASE, 'b.yaml': BASE, 'xpkg.yaml': 'include: [a.yaml, b.yaml]' });
    expect((await refusal('xpkg.yaml')).message).toMatch(/^b\.yaml:.*a\.yaml:/);
  });

  test('another kind for an included package', async () => {
    given({
      'base.yaml': BASE,
      'xpkg.yaml': 'include: [base.yaml]\npackages: [{ function: h.io/a/p }]',
    });
    const { message } = await refusal('xpkg.yaml');
    expect(message).toBe(
      'xpkg.yaml:5: `h.io/a/p` is a Function here and a Provider at base.yaml:6, which is included',
    );
  });

  test('a parsed PackageSet cannot include files', async () => {
    const set = {
      apiVersion: 'xpkg-resolve.dev/v1alpha1',
      kind: 'PackageSet',
      spec: { include: ['a.yaml'] },
    };
    await expect(requestFromPackageSet(set)).rejects.toThrow(InputError);
  });
});
