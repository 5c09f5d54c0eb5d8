import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readInputs, type InputOptions } from '../../../src/inputs/read-inputs.js';
import { InputError } from '../../../src/model/input-error.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/inputs');

function read(files: readonly string[], options: Partial<InputOptions> = {}) {
  return readInputs({
    files,
    refs: [],
    cwd: FIXTURES,
    stdin: () => Promise.resolve(''),
    ...options,
  });
}

function fromText(text: string, options: Partial<InputOptions> = {}) {
  return read(['-'], { stdin: () => Promise.resolve(text), ...options });
}

test('a crossplane.yaml is a local root with the place of each dependency', async () => {
  const { request, notes } = await read(['local/crossplane.yaml']);
  const file = 'local/crossplane.yaml';
  expect(notes).toEqual([]);
  expect(request.roots).toMatchObject([
    {
      root: 'local',
      kind: 'Configuration',
      name: 'network',
      crossplane: '>=v1.14.0-0',
      dependsOn: [
        {
          entry: { provider: 'xpkg.acme.io/cloud/provider-network', version: '>=v1.0.0' },
          origin: { file, line: 9 },
        },
        {
          entry: {
            apiVersion: 'pkg.crossplane.io/v1',
            kind: 'Function',
            package: 'xpkg.acme.io/fn/function-sort',
            version: '>=v0.1.0',
          },
          origin: { file, line: 12 },
        },
      ],
      objects: [],
      origin: { file, line: 1 },
    },
  ]);
});

test('objects belong to the package in the nearest folder above them', async () => {
  const { request, notes } = await read(['local']);
  const owned = request.roots.map((root) =>
    root.root === 'local' ? [root.name, ...root.objects.map(({ name }) => name)] : [],
  );
  expect(owned).toEqual([
    ['network', 'network-flat', 'xnetworks.acme.io'],
    ['sort', 'inputs.sort.acme.io'],
  ]);
  expect(notes).toHaveLength(1);
  expect(notes[0]).toContain('local/functions/sort/crossplane.yaml:4');
});

test('an XRD says what it defines and which claim it brings', async () => {
  const { request } = await read(['local']);
  expect(request.roots[0]).toMatchObject({
    objects: [
      { kind: 'Composition' },
      {
        kind: 'CompositeResourceDefinition',
        claimCrd: 'networks.acme.io',
        claimKind: 'Network',
        defines: { group: 'acme.io', kind: 'XNetwork', versions: ['v1alpha1', 'v1beta1'] },
      },
    ],
  });
});

test('a v1beta1 CRD may name its version by itself, here as in a package.yaml', async () => {
  const { request } = await fromText(
    `{apiVersion: meta.pkg.crossplane.io/v1, kind: Provider, metadata: {name: p}}
---
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: dbs.acme.io}
spec: {group: acme.io, version: v1, names: {kind: Db}}`,
  );
  expect(request.roots).toMatchObject([
    {
      objects: [
        { name: 'dbs.acme.io', defines: { group: 'acme.io', kind: 'Db', versions: ['v1'] } },
      ],
    },
  ]);
});

test('a file given by itself owns nothing beyond its own stream', async () => {
  const { request, notes } = await read(['local/crossplane.yaml', 'local/apis/definition.yaml']);
  expect(request.roots).toMatchObject([{ objects: [] }]);
  expect(notes).toHaveLength(1);
  const stream = await fromText(
    `{apiVersion: meta.pkg.crossplane.io/v1, kind: Provider, metadata: {name: p}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a.b.io}}`,
  );
  expect(stream.request.roots).toMatchObject([{ objects: [{ name: 'a.b.io' }] }]);
});

describe('projects are read as the Configuration they build', () => {
  test('crossplane-project.yaml', async () => {
    const { request, notes } = await read(['projects/crossplane-project.yaml']);
    expect(request.roots).toMatchObject([
      {
        kind: 'Configuration',
        name: 'platform',
        crossplane: '>=v2.0.0-rc.0',
        dependsOn: [
          { entry: { kind: 'Provider', version: '>=v1.0.0' }, origin: { line: 7 } },
          { entry: { kind: 'Function', version: '>=v0.0.0' }, origin: { line: 22 } },
        ],
      },
    ]);
    expect(notes.map((note) => note.split(': ')[0])).toEqual([
      'projects/crossplane-project.yaml:13',
      'projects/crossplane-project.yaml:20',
    ]);
  });

  test('upbound.yaml', async () => {
    const { request } = await read(['projects/upbound.yaml']);
    expect(request.roots).toMatchObject([
      { crossplane: '>=v1.18.0', dependsOn: [{ origin: { line: 8 } }] },
    ]);
  });

  test.each([
    { why: 'no type', dependency: 'xpkg: {}' },
    { why: 'a type nobody knows', dependency: 'type: helm' },
    { why: 'no kind', dependency: 'type: xpkg, xpkg: {package: a/b, version: v1}' },
  ])('refused: $why', async ({ dependency }) => {
    const text = `{apiVersion: dev.crossplane.io/v1alpha1, kind: Project, metadata: {name: p}, spec: {dependencies: [{${dependency}}]}}`;
    await expect(fromText(text)).rejects.toThrow(InputError);
  });
});

describe('--compat', () => {
  const text = `apiVersion: meta.pkg.ibm.crossplane.io/v1alpha1
kind: Provider
metadata: { name: p }
spec:
  crossplane: v0.13.0
  dependsOn:
    - crd: buckets.s3.aws.upbound.io
`;

  test('reads the group, the text and the entry of old design documents', async () => {
    const { request } = await fromText(text, { compat: true });
    expect(request.roots).toMatchObject([
      {
        crossplane: 'v0.13.0',
        dependsOn: [{ entry: { crd: 'buckets.s3.aws.upbound.io' }, origin: { line: 7 } }],
      },
    ]);
  });

  test('without it the group asks for nothing, and the note names the flag', async () => {
    const { notes } = await fromText(text, { refs: ['h.io/a/p'] });
    expect(notes.join()).toContain('--compat');
  });
});

test.each([
  { why: 'dependsOn is no list', spec: 'dependsOn: {provider: a/b}' },
  { why: 'an entry is no mapping', spec: 'dependsOn: [a/b]' },
  { why: 'a version is a number', spec: 'dependsOn: [{provider: a/b, version: 1.20}]' },
  { why: 'crossplane is a list', spec: 'crossplane: [v1]' },
  { why: 'the constraint is a number', spec: 'crossplane: {version: 1.20}' },
])('refused: $why', async ({ spec }) => {
  const text = `{apiVersion: meta.pkg.crossplane.io/v1, kind: Provider, metadata: {name: p}, spec: {${spec}}}`;
  await expect(fromText(text)).rejects.toThrow(InputError);
});
