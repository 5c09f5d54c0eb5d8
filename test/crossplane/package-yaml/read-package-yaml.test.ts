import { describe, expect, test } from 'vitest';
import { readPackageYaml } from '../../../src/crossplane/package-yaml/read-package-yaml.js';

const read = (text: string) => readPackageYaml(Buffer.from(text));

const META = `---
apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata:
  name: platform
  labels: {team: "a", tier: null}
  annotations:
    meta.crossplane.io/source: github.com/acme/platform
spec:
  crossplane:
    version: ">=v1.14.0-0"
  dependsOn:
    - provider: xpkg.io/acme/provider-db
      version: ">=v1.0.0"
    # the function
    - function: xpkg.io/acme/function-go
      version: v0.1.0
  capabilities: [safe-start]
`;

test('the metadata document is read in full, with the lines of its dependencies', async () => {
  const { metas, objects, problems, warnings } = await read(META);
  expect(metas).toEqual([
    {
      apiVersion: 'meta.pkg.crossplane.io/v1',
      kind: 'Configuration',
      name: 'platform',
      labels: { team: 'a', tier: '' },
      annotations: { 'meta.crossplane.io/source': 'github.com/acme/platform' },
      crossplane: { version: '>=v1.14.0-0' },
      dependsOn: [
        { provider: 'xpkg.io/acme/provider-db', version: '>=v1.0.0' },
        { function: 'xpkg.io/acme/function-go', version: 'v0.1.0' },
      ],
      capabilities: ['safe-start'],
      dependsOnLines: [13, 16],
      line: 2,
      specKeys: ['crossplane', 'dependsOn', 'capabilities'],
      specLines: { crossplane: 10, dependsOn: 12, capabilities: 18 },
      decodeError: undefined,
    },
  ]);
  expect([objects, problems, warnings]).toEqual([[], [], []]);
});

const XRD = `apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xdbs.acme.io}
spec:
  group: acme.io
  names: {kind: XDb, plural: xdbs}
  claimNames: {kind: Db, plural: dbs}
  versions: [{name: v1, served: true}]
`;

test('only the identity of other documents is read; the metadata may be anywhere', async () => {
  const { metas, objects } = await read(`${XRD}${META}`);
  expect(metas).toHaveLength(1);
  expect(objects).toEqual([
    {
      apiVersion: 'apiextensions.crossplane.io/v1',
      kind: 'CompositeResourceDefinition',
      name: 'xdbs.acme.io',
      claimCrd: 'dbs.acme.io',
      claimKind: 'Db',
      defines: { group: 'acme.io', kind: 'XDb', versions: ['v1'] },
      composite: { plural: 'xdbs', connectionSecretKeys: false, claimNames: true },
      line: 1,
    },
  ]);
  expect(metas[0]).toMatchObject({ line: 10, dependsOnLines: [21, 24] });
});

test('a v1beta1 CRD may have a single version field', async () => {
  const { objects } = await read(`apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: dbs.acme.io
spec:
  group: acme.io
  version: v1
  names:
    kind: Db
`);
  expect(objects[0]?.defines).toEqual({ group: 'acme.io', kind: 'Db', versions: ['v1'] });
});

test('an empty dependsOn entry has the line of its list', async () => {
  const { metas } = await read(`apiVersion: meta.pkg.crossplane.io/v1
kind: Provider
metadata: {name: p}
spec:
  dependsOn:
    -
    - provider: xpkg.io/a/b
`);
  expect(metas[0]?.dependsOnLines).toEqual([5, 7]);
});

test.each([
  { text: 'metadata: {name: x}\n', why: 'no kind' },
  { text: 'kind: Composition\n', why: 'no apiVersion' },
  { text: '- a\n- b\n', why: 'a list' },
  { text: '--- \n---\n', why: 'a separator with a space after it is a document' },
  { text: 'kind: [\n', why: 'no YAML' },
  { text: 'apiVersion: v1\nkind: 12\n', why: 'a kind that is a number' },
  { text: 'apiVersion: v1\nkind: X\nmetadata: {name: 12}\n', why: 'a name that is a number' },
  { text: 'apiVersion: v1\nkind: X\n--- # c\n--- x\n', why: 'a broken separator' },
  { text: 'apiVersion: a/b/v1\nkind: X\n', why: 'an apiVersion of three parts' },
  { text: 'apiVersion: a/\nkind: X\n', why: 'an apiVersion without a version' },
  { text: 'apiVersion: v1\nkind: X\nKind: Z\n', why: 'a second kind' },
  { text: 'apiVersion: v1\napiversion: v2\nkind: X\n', why: 'a second apiVersion' },
  { text: 'apiVersion: v1\nkind: X\n\u212aind: Z\n', why: 'a kind with a kelvin sign' },
  { text: 'apiVersion: v1\nkind: X\nspec: .inf\n', why: 'a number that JSON does not have' },
  { text: 'apiVersion: v1\nkind: X\nspec: {.inf: a}\n', why: 'a key that is no text' },
])('every target refuses it: $why', async ({ text }) => {
  expect((await read(text)).problems).toHaveLength(1);
});

test('the metadata of a list kind is not checked', async () => {
  const { objects, problems } = await read(
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitionList\nmetadata: {name: 1}\n',
  );
  expect([objects.length, problems]).toEqual([1, []]);
});

test('problems have a line', async () => {
  const { problems } = await read(`${META}---\nkind: Composition\n---\na: b\nc: d: e\n`);
  expect(problems.map(({ line }) => line)).toEqual([20, 23]);
});

test.each([
  { field: 'spec: v1', why: 'spec is text' },
  { field: 'spec: {dependsOn: {provider: x}}', why: 'dependsOn is a mapping' },
  { field: 'metadata: {labels: {a: 1}}', why: 'a label is a number' },
  { field: 'metadata: {annotations: [a]}', why: 'annotations are a list' },
])('Go cannot decode the metadata: $why', async ({ field }) => {
  const { metas } = await read(`apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\n${field}\n`);
  expect(metas[0]?.decodeError).toContain('must be');
});

test.each([
  { spec: 'controller: {image: [x]}', want: { controller: '`spec.controller.image`' } },
  { spec: 'controller: {permissionRequests: [{verbs: get}]}', want: { controller: '[0].verbs`' } },
  { spec: 'image: 1', want: { image: '`spec.image` must be a string' } },
  { spec: 'capabilities: [a, 1]', want: { capabilities: '`spec.capabilities[1]`' } },
])('some releases cannot decode the metadata: $spec', async ({ spec, want }) => {
  const { metas } = await read(
    `apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: p}\nspec: {${spec}}\n`,
  );
  const [[field, text]] = Object.entries(want) as [[string, string]];
  expect(metas[0]).toMatchObject({ fieldErrors: { [field]: expect.stringContaining(text) } });
});

test.each([
  { metadata: 'labels: {a: 1}', path: '`metadata.labels.a`' },
  { metadata: 'labels:\n    a: yes', path: '`metadata.labels.a`' },
  { metadata: 'annotations: [a]', path: '`metadata.annotations`' },
  { metadata: 'namespace: 1', path: '`metadata.namespace`' },
  { metadata: 'generation: "1"', path: '`metadata.generation`' },
  { metadata: 'generation: 1.5', path: '`metadata.generation`' },
  { metadata: 'generation: 9223372036854775808', path: '`metadata.generation`' },
  { metadata: 'creationTimestamp: 2026-01-31', path: '`metadata.creationTimestamp`' },
  { metadata: 'creationTimestamp: "2026-02-31T00:00:00Z"', path: '`metadata.creationTimestamp`' },
  { metadata: 'creationTimestamp: "2026-01-31T24:00:00Z"', path: '`metadata.creationTimestamp`' },
  { metadata: 'creationTimestamp: "2026-01-31T00:00:00"', path: '`metadata.creationTimestamp`' },
  { metadata: 'finalizers: a', path: '`metadata.finalizers`' },
  { metadata: 'finalizers: [1]', path: '`metadata.finalizers[0]`' },
  { metadata: 'ownerReferences: [{name: 1}]', path: '`metadata.ownerReferences[0].name`' },
  { metadata: 'managedFields: [{time: x}]', path: '`metadata.managedFields[0].time`' },
])('Go cannot decode the object: $metadata', async ({ metadata, path }) => {
  const { objects, problems } = await read(`apiVersion: v1\nkind: X\nmetadata:\n  ${metadata}\n`);
  expect(objects).toEqual([]);
  expect(problems).toMatchObject([{ line: 1, message: expect.stringContaining(path) }]);
});

test.each([
  'labels: {}',
  'labels:\n    a:\n    b: "1"\n    c: |\n      d',
  'creationTimestamp: "2026-01-31T00:00:00Z"\n  generation: 2\n  uid: x\n  finalizers: [a]',
  'generation: 1e3\n  deletionGracePeriodSeconds: 9007199254740993',
  'creationTimestamp: "0004-02-29T1:02:03,5+24:60"',
  'managedFields: [{time: "2026-01-31T00:00:00Z", fieldsV1: {f:a: {}}}]\n  other: {a: 1}',
])('Go decodes the object: %j', async (metadata) => {
  const { objects, problems } = await read(
    `apiVersion: v1\nkind: X\nmetadata:\n  name: a\n  ${metadata}\n`,
  );
  expect([objects.map(({ name }) => name), problems]).toEqual([['a'], []]);
});

test('the last of duplicate keys counts, with a warning at its line', async () => {
  const twice = META.replace('  name: platform\n', '  name: first\n  name: platform\n');
  const { metas, warnings } = await read(twice);
  expect(metas[0]?.name).toBe('platform');
  expect(warnings).toMatchObject([{ line: 6 }]);
  expect(warnings[0]?.message).toContain('`metadata.name`');
});

test('duplicate keys deep inside an object are not reported', async () => {
  const { warnings } = await read(
    'apiVersion: v1\nkind: X\nspec: {schema: {a: 1, a: 2}}\nmetadata: {name: x, name: z}\n',
  );
  expect(warnings.map(({ message }) => message.split(' ')[0])).toEqual(['`metadata.name`']);
});

test('excessive or recursive aliases are a problem', async () => {
  const levels = Array.from({ length: 12 }, (_, i) => {
    const inner = i === 0 ? 'x' : `*a${i - 1}`;
    return `a${i}: &a${i} [${Array.from({ length: 9 }, () => inner).join(', ')}]\n`;
  }).join('');
  const meta = 'apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\n';
  expect((await read(`${meta}${levels}`)).problems).toHaveLength(1);
  expect((await read(`${meta}spec: &s {self: *s}\n`)).problems).toHaveLength(1);
});

test('keys named after prototypes are data', async () => {
  const { metas } = await read(
    'apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata:\n  labels: {__proto__: x, constructor: z}\n',
  );
  expect(Object.entries(metas[0]!.labels)).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'z'],
  ]);
});

test('a document with too many nodes is refused before parsing', async () => {
  const { problems } = await read(`kind: [${'a,'.repeat(9 * 2 ** 20)}]\n`);
  expect(problems).toMatchObject([{ line: 1 }]);
  expect(problems[0]?.message).toContain('larger than');
});

test('the number of warnings about duplicates is limited', async () => {
  const { warnings } = await read(`apiVersion: v1\nkind: X\n${'a: 1\n'.repeat(5000)}`);
  expect(warnings.length).toBeLessThan(100);
});

const object = (name: string) => `apiVersion: v1\nkind: X\nmetadata:\n  name: ${name}\n`;

describe('content over a limit is a problem and never cut off', () => {
  test('too many documents', async () => {
    const most = 50_000;
    const full = await read(
      Array.from({ length: most }, () => 'apiVersion: v1\nkind: X\n').join('---\n'),
    );
    expect([full.objects.length, full.problems]).toEqual([most, []]);
    const over = await read(
      Array.from({ length: most + 1 }, () => 'apiVersion: v1\nkind: X\n').join('---\n'),
    );
    expect(over.problems).toHaveLength(1);
  });

  test('an endless stream of documents, also of empty ones', async () => {
    const { objects, problems } = await read(`${'---\n#\n'.repeat(60_000)}${object('x')}`);
    expect([objects, problems.length]).toEqual([[], 1]);
  });

  test.each([
    { text: object('x'.repeat(1025)), why: 'a name' },
    { text: object(`"${'x'.repeat(1025)}"`), why: 'a name in quotes' },
    { text: `{apiVersion: v1, kind: X, metadata: {name: ${'x'.repeat(1025)}}}`, why: 'in a flow' },
    { text: object('x').replace('X', 'X'.repeat(1025)), why: 'a kind' },
    {
      text: `apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata:\n  name: ${'x'.repeat(1025)}\n`,
      why: 'the name of the package',
    },
    {
      text: `${object('x')}spec:\n  versions:\n${'    - name: v1\n'.repeat(1001)}`,
      why: 'the versions of a kind',
    },
  ])('$why', async ({ text }) => {
    const { metas, objects, problems } = await read(text);
    expect([metas, objects, problems.length]).toEqual([[], [], 1]);
    expect(problems[0]!.message.length).toBeLessThan(300);
  });

  test('a name at the limit is accepted', async () => {
    expect((await read(object('x'.repeat(1024)))).objects).toHaveLength(1);
  });
});

test.each([
  { more: '__proto__: {kind: Other, spec: {dependsOn: [{provider: a}]}}', why: 'of the document' },
  { more: 'spec: {__proto__: {dependsOn: [{provider: a}]}}', why: 'of its spec' },
  { more: 'spec: {constructor: {dependsOn: [{provider: a}]}, hasOwnProperty: 1}', why: 'another' },
])('keys cannot set inherited fields: $why', async ({ more }) => {
  const { metas } = await read(`apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\n${more}\n`);
  expect(metas).toMatchObject([{ kind: 'Provider', dependsOn: [] }]);
  expect({}).not.toHaveProperty('dependsOn');
});

test('a long text with many aliases is refused before copying', async () => {
  const text = `apiVersion: meta.pkg.crossplane.io/v1
kind: Provider
metadata:
  name: p
  annotations: {a: &a "${'x'.repeat(7_000_000)}"}
spec:
  dependsOn: [[${Array(1000).fill('*a').join(', ')}]]
`;
  const { metas, problems } = await readPackageYaml(Buffer.from(text));
  expect(metas).toEqual([]);
  expect(problems).toMatchObject([{ message: /too long together/ }]);
});
