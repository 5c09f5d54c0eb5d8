import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readInputs, type InputOptions } from '../../../src/project/inputs/read-inputs.js';
import { InputError } from '../../../src/base/errors.js';

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

test('a crossplane.yaml is a local root with the origin of each dependency', async () => {
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

test('objects belong to the package in the nearest parent folder', async () => {
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

test('an XRD is read with its definition and its claim', async () => {
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

test('a v1beta1 CRD may have a single version', async () => {
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

test('the package of a single file owns only objects in that file', async () => {
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

describe('projects are read as the Configuration that is built from them', () => {
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
  ])('rejected: $why', async ({ dependency }) => {
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

  test('reads the formats of old design documents', async () => {
    const { request } = await fromText(text, { compat: true });
    expect(request.roots).toMatchObject([
      {
        crossplane: 'v0.13.0',
        dependsOn: [{ entry: { crd: 'buckets.s3.aws.upbound.io' }, origin: { line: 7 } }],
      },
    ]);
  });

  test('without the flag such a document is ignored, with a note', async () => {
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
])('rejected: $why', async ({ spec }) => {
  const text = `{apiVersion: meta.pkg.crossplane.io/v1, kind: Provider, metadata: {name: p}, spec: {${spec}}}`;
  await expect(fromText(text)).rejects.toThrow(InputError);
});

const own = (kind: string, spec: string, more = '') =>
  `apiVersion: meta.pkg.crossplane.io/v1\nkind: ${kind}\nmetadata: {name: a}\n${more}spec:\n  ${spec}\n`;

describe('unknown fields of a package', () => {
  test.each([
    {
      kind: 'Configuration',
      spec: 'dependOn: []',
      says: '-:5: `spec.dependOn`',
      meant: 'dependsOn',
    },
    {
      kind: 'Provider',
      spec: 'permissionRequests: []',
      says: '-:5: `spec.permissionRequests`',
      meant: 'spec.controller.permissionRequests',
    },
    {
      kind: 'Configuration',
      spec: 'dependsOn: [{provider: x.io/a/b, versoin: "*", version: "*"}]',
      says: '-:5: `spec.dependsOn[0].versoin`',
      meant: 'version',
    },
    { kind: 'Function', spec: 'imag: x', says: '-:5: `spec.imag`', meant: 'image' },
    { kind: 'Provider', spec: 'controller: {imag: x}', says: 'controller.imag', meant: 'image' },
  ])('$kind with $spec: a warning, an error with --strict', async ({ kind, spec, says, meant }) => {
    const { warnings } = await fromText(own(kind, spec));
    expect(warnings).toEqual([expect.stringContaining(says)]);
    expect(warnings[0]).toContain(`did you mean \`${meant}\`?`);
    const refused = fromText(own(kind, spec), { strict: true });
    await expect(refused).rejects.toThrow(InputError);
    await expect(refused).rejects.toThrow(`did you mean \`${meant}\`?`);
  });

  test('a field next to `spec` that belongs into it', async () => {
    const { warnings } = await fromText(own('Configuration', 'crossplane:', 'dependsOn: []\n'));
    expect(warnings).toEqual([expect.stringContaining('did you mean `spec.dependsOn`?')]);
  });

  test.each(['dev.crossplane.io/v1alpha1', 'meta.dev.upbound.io/v2alpha1'])(
    'a misspelled field of a project of %s; other fields are ignored',
    async (apiVersion) => {
      const project = (spec: string) =>
        own('Project', spec).replace('meta.pkg.crossplane.io/v1', apiVersion);
      for (const [spec, says] of [
        ['dependOn: [{provider: x.io/a/b, version: "*"}]', 'spec.dependOn` is not a field'],
        ['DependsOn: []', 'did you mean `dependsOn`?'],
        ['dependancies: []', 'did you mean `dependencies`?'],
        ['dependsOn: [{provider: x.io/a/b, versoin: "*", version: "*"}]', 'dependsOn[0].versoin`'],
      ] as const) {
        const { warnings } = await fromText(project(spec));
        expect(warnings).toEqual([expect.stringContaining(says)]);
        expect(warnings[0]).toMatch(/^-:5: `spec\./);
        const refused = fromText(project(spec), { strict: true });
        await expect(refused).rejects.toThrow(says);
      }
      const other = project('repository: x.io/a/b\n  fieldOfANewerRelease: {a: b}');
      expect((await fromText(other, { strict: true })).warnings).toEqual([]);
    },
  );

  test('fields of any release and all labels are known', async () => {
    const more = 'controller: {image: x, permissionRequests: [{verbs: [get]}]}';
    const { warnings } = await fromText(own('Provider', more), { strict: true });
    expect(warnings).toEqual([]);
    const labeled = own('Function', 'image: x').replace('{name: a}', '{name: a, labels: {any: x}}');
    expect((await fromText(labeled)).warnings).toEqual([]);
  });

  test('`crossplane` without `version` is rejected, like by Crossplane', async () => {
    const refused = fromText(own('Configuration', 'crossplane: {versions: ">=v1.14.0"}'));
    await expect(refused).rejects.toThrow('`spec.crossplane` has no `version`');
  });
});

test('`apiDependencies` of a project are ignored with one note each', async () => {
  const { notes } = await fromText(
    'apiVersion: meta.dev.upbound.io/v2alpha1\nkind: Project\nmetadata: {name: a}\nspec:\n  dependsOn: []\n  apiDependencies:\n    - type: k8s\n      k8s: {version: v1.33.0}\n    - git: {repository: x}\n',
  );
  expect(notes).toEqual([
    '-:7: an entry of type `k8s` of `spec.apiDependencies` installs no package and is left out',
    '-:9: an entry of `spec.apiDependencies` installs no package and is left out',
  ]);
});

test.each([
  {
    field: 'packagePullPolicy: Automatic',
    says: 'must be one of `Always`, `IfNotPresent`, `Never`',
  },
  { field: 'revisionActivationPolicy: Sometimes', says: 'must be one of `Automatic`, `Manual`' },
  { field: 'revisionHistoryLimit: -1', says: 'must be 0 or more' },
  { field: 'revisionHistoryLimit: "1"', says: 'must be a whole number' },
  { field: 'skipDependencyResolution: yes', says: 'must be `true` or `false`' },
  { field: 'packagePullSecrets: [regcred]', says: 'must be a mapping' },
  { field: 'runtimeConfigRef: {nmae: x}', says: 'lacks `name`' },
])('a package object with `$field` is rejected with the line', async ({ field, says }) => {
  const text = `apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: a}\nspec:\n  package: x.io/a/b:v1.0.0\n  ${field}\n`;
  const refused = fromText(text);
  await expect(refused).rejects.toThrow(says);
  await expect(refused).rejects.toMatchObject({ origin: { line: 6 } });
});
