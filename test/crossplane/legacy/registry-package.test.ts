import { describe, expect, test } from 'vitest';
import { DOCUMENT_LIMITS } from '../../../src/crossplane/package-yaml/split-documents.js';
import { RegistryPackage } from '../../../src/crossplane/legacy/registry-package.js';

const crd = (name: string, version = 'v1') => `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: ${name}.example.org}
spec: {group: example.org, names: {kind: ${name}, plural: ${name}}, version: ${version}}
`;

const many = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => crd(`a${from + i}`)).join('---\n');

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

async function reading(files: readonly (readonly [path: string, text: string])[]) {
  const read = new RegistryPackage();
  for (const [path, text] of files) if (read.takes(path)) await read.add(path, bytesOf(text));
  return read.value;
}

const APP = ['.registry/app.yaml', 'title: My App!\ndependsOn: [{crd: a.example.org}]\n'] as const;

test('reads app.yaml and the CRD files in any order', async () => {
  const files = [
    APP,
    ['.registry/resources/b/deep/B.v1.crd.yaml', `${crd('bs')}---\n${crd('cs')}`],
    ['.registry/resources/acrd.yaml', crd('as')],
    ['.registry/resources/group.yaml', 'not: read'],
    ['.registry/crd.yaml', crd('ds')],
    ['registry/app.yaml', 'title: Other'],
    ['.registry/install.yaml', 'apiVersion: apps/v1\nkind: Deployment\n'],
  ] as const;
  const value = await reading(files);
  expect(value).toMatchObject({
    metas: [
      {
        apiVersion: 'packages.crossplane.io/v1alpha1',
        kind: 'Provider',
        name: 'my-app',
        dependsOn: [{ crd: 'a.example.org' }],
        dependsOnLines: [2],
      },
    ],
    problems: [],
    warnings: [],
  });
  expect(value!.objects.map(({ name }) => name)).toEqual(
    ['as', 'bs', 'cs'].map((name) => `${name}.example.org`),
  );
  expect(await reading(files.toReversed())).toEqual(value);
});

test('a leading slash does not matter, and a duplicate file is refused', async () => {
  expect(await reading([['/.registry/app.yaml', APP[1]]])).toEqual(await reading([APP]));
  const twice = await reading([APP, [`/${APP[0]}`, 'title: Other']]);
  expect(twice).toMatchObject({ metas: [], problems: [{ message: /there twice/ }] });
});

test('there is no package without its files', async () => {
  expect(await reading([['bin/controller', 'x']])).toBeUndefined();
});

describe('refused packages', () => {
  const big = `title: ${'x'.repeat(DOCUMENT_LIMITS.registryFileBytes)}`;
  test.each<{ why: string; files: readonly (readonly [string, string])[]; says: RegExp }>([
    { why: 'no app.yaml', files: [['.registry/icon.svg', '']], says: /no `app.yaml`/ },
    {
      why: 'an empty one',
      files: [[APP[0], '# nothing\n']],
      says: /`app.yaml`: the file is empty/,
    },
    { why: 'two documents', files: [[APP[0], 'a: b\n---\nc: d\n']], says: /second document/ },
    { why: 'a list', files: [[APP[0], '- a\n']], says: /not a mapping/ },
    { why: 'no YAML', files: [[APP[0], 'a: [\n']], says: /not valid YAML/ },
    {
      why: 'not UTF-8',
      files: [[APP[0], 'a: \ud800'.replace('\ud800', '\u0000')]],
      says: /app.yaml/,
    },
    { why: 'too large', files: [[APP[0], big]], says: /larger than 256 KiB/ },
    {
      why: 'aliases that stand for a billion nodes',
      files: [
        [
          APP[0],
          `a0: &a0 [x]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(', ')}]\n`).join('')}`,
        ],
      ],
      says: /blow the document up/,
    },
    {
      why: 'aliases of one long text',
      files: [
        [APP[0], `a: &a "${'x'.repeat(100_000)}"\nb: [${Array(1000).fill('*a').join(', ')}]\n`],
      ],
      says: /blow the document up/,
    },
    {
      why: 'an install.yaml of another kind',
      files: [APP, ['.registry/install.yaml', 'apiVersion: batch/v1\nkind: Job\n']],
      says: /`install.yaml:1`: it is a Job/,
    },
    {
      why: 'a crd.yaml with something else',
      files: [
        APP,
        ['.registry/resources/crd.yaml', 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n'],
      ],
      says: /`resources\/crd.yaml:1`: Secret `s` is no CustomResourceDefinition/,
    },
    {
      why: 'a crd.yaml that cannot be read',
      files: [APP, ['.registry/resources/crd.yaml', 'a: [\n']],
      says: /`resources\/crd.yaml:\d`: /,
    },
  ])('$why', async ({ files, says }) => {
    const value = await reading(files);
    expect(value?.problems.map(({ message }) => message).join('\n')).toMatch(says);
  });

  test('too many CRDs in all files together', async () => {
    const half = DOCUMENT_LIMITS.documents / 2;
    const value = await reading([
      APP,
      ['.registry/resources/a.crd.yaml', many(0, half)],
      ['.registry/resources/b.crd.yaml', many(half, 2 * half + 1)],
      ['.registry/resources/c.crd.yaml', many(0, 10)],
    ]);
    expect(value?.problems.at(-1)?.message).toMatch(/more than 50000 CRDs|too long together/);
    expect(value?.objects.length).toBeLessThanOrEqual(DOCUMENT_LIMITS.documents + 1);
  });

  test('unknown values of fields are a warning', async () => {
    const text = 'title: 5\npackageType: Plugin\npermissionScope: [Cluster]\n';
    expect(await reading([[APP[0], text]])).toMatchObject({
      metas: [{ name: 'package', decodeError: '`title` must be a string, not the number 5' }],
      warnings: [{ message: /packageType.*Addon/ }, { message: /permissionScope.*Namespaced/ }],
    });
  });
});
