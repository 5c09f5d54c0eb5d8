import { describe, expect, test } from 'vitest';
import { isRejection, judge } from '../../../src/crossplane/packages/admission.js';
import type {
  CompositionSpec,
  PackageObject,
} from '../../../src/crossplane/packages/package-contents.js';
import { contents, crd, meta, target, xrd } from '../../support/contents.js';

type Judged = Parameters<typeof judge>[0];

function codes(judged: Judged, on: string, compat = false): string[] {
  const answer = judge(judged, target(on), { compat });
  expect(isRejection(answer)).toBe(answer.findings.some(({ severity }) => severity === 'error'));
  return answer.findings.map(({ severity, code }) => `${severity} ${code}`);
}

const V1 = 'meta.pkg.crossplane.io/v1';
const V1BETA1 = 'meta.pkg.crossplane.io/v1beta1';
const V1ALPHA1 = 'meta.pkg.crossplane.io/v1alpha1';

test.each([
  { apiVersion: V1, kind: 'Function', on: 'v1.16.5', taken: false, why: 'registered in v1.17' },
  { apiVersion: V1, kind: 'Function', on: 'v1.17.1', taken: false, why: 'the linter forgot it' },
  { apiVersion: V1, kind: 'Function', on: 'v1.17.2', taken: true, why: 'the linter knows it' },
  { apiVersion: V1BETA1, kind: 'Function', on: 'v1.14.0', taken: true, why: 'from the beginning' },
  { apiVersion: V1BETA1, kind: 'Function', on: 'v2.3.4', taken: true, why: 'still' },
  { apiVersion: V1ALPHA1, kind: 'Function', on: 'v1.14.0', taken: false, why: 'v1.13 only' },
  { apiVersion: V1ALPHA1, kind: 'Provider', on: 'v2.3.4', taken: true, why: 'converted to v1' },
  { apiVersion: V1BETA1, kind: 'Provider', on: 'v2.3.4', taken: false, why: 'never existed' },
  { apiVersion: V1, kind: 'Plugin', on: 'v2.3.4', taken: false, why: 'no such kind' },
  {
    apiVersion: undefined,
    kind: 'Provider',
    on: 'v1.14.0',
    taken: true,
    why: 'an index does not say',
  },
])('$kind of $apiVersion on $on: $taken, $why', ({ apiVersion, kind, on, taken }) => {
  const want = taken ? [] : ['error unregistered-kind'];
  expect(codes(contents({ apiVersion, kind }), on)).toEqual(want);
});

test.each([
  { crossplane: undefined, want: [], why: 'any Crossplane will do' },
  { crossplane: null, want: [], why: 'null is absent' },
  { crossplane: { version: '>=v1.14.0-0' }, want: [], why: 'a constraint' },
  { crossplane: {}, want: ['error crossplane-constraint'], why: 'empty is improper' },
  {
    crossplane: { version: 'newest' },
    want: ['error crossplane-constraint'],
    why: 'no constraint',
  },
  { crossplane: { version: 1.2 }, want: ['error decode'], why: 'a number is no string' },
  { crossplane: ['v1.0.0'], want: ['error decode'], why: 'a list is no mapping' },
  { crossplane: 'v1.0.0', want: ['error crossplane-string'], why: 'old design documents only' },
])('spec.crossplane $crossplane: $why', ({ crossplane, want }) => {
  expect(codes(contents({ crossplane }), 'v2.3.4')).toEqual(want);
});

test('the constraint is parsed in the dialect of the target', () => {
  const spaced = contents({ crossplane: { version: '>=1.14.0 <2.4.0' } });
  expect(codes(spaced, 'v2.2.0')).toEqual(['error crossplane-constraint']);
  expect(judge(spaced, target('v2.3.0'))).toMatchObject({ crossplane: '>=1.14.0 <2.4.0' });
});

test('`--compat` accepts the string form and the renamed group, with a warning', () => {
  const old = contents({
    apiVersion: 'meta.pkg.ibm.crossplane.io/v1alpha1',
    crossplane: '>=v0.13.0',
  });
  expect(codes(old, 'v1.20.0')).toEqual(['error unregistered-kind', 'error crossplane-string']);
  expect(codes(old, 'v1.20.0', true)).toEqual([
    'warning compat-group',
    'warning crossplane-string',
  ]);
  expect(judge(old, target('v1.20.0'), { compat: true })).toMatchObject({
    crossplane: '>=v0.13.0',
  });
});

test.each([
  { metas: [], why: 'none' },
  { metas: [meta(), meta({ kind: 'Provider' })], why: 'two' },
])('exactly one metadata document: $why is refused', ({ metas }) => {
  const judged = { metas, objects: [], problems: [], warnings: [] };
  expect(codes(judged, 'v2.3.4')).toEqual(['error one-meta']);
});

test('a stream that cannot be read to its end is refused', () => {
  const broken = { ...contents(), problems: [{ message: 'invalid separator', line: 9 }] };
  expect(judge(broken, target('v2.3.4'))).toMatchObject({
    rejected: true,
    findings: [{ code: 'unreadable', line: 9 }],
  });
});

const object = (apiVersion: string, kind: string): PackageObject => ({
  apiVersion,
  kind,
  name: 'x.example.org',
});
const MRD = object('apiextensions.crossplane.io/v1alpha1', 'ManagedResourceDefinition');
const WEBHOOK = object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration');
const V2_XRD = object('apiextensions.crossplane.io/v2', 'CompositeResourceDefinition');
const OPERATION = object('ops.crossplane.io/v1alpha1', 'Operation');
const POLICY = object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy');
const CRD_LIST = object('apiextensions.k8s.io/v1', 'CustomResourceDefinitionList');
const DELETE_OPTIONS = object('apiextensions.k8s.io/v1', 'DeleteOptions');
const COMPOSITION = object('apiextensions.crossplane.io/v1', 'Composition');

test.each([
  { kind: 'Provider', held: crd('a.b.c'), on: 'v1.14.0', want: [] },
  { kind: 'Provider', held: WEBHOOK, on: 'v1.14.0', want: [] },
  { kind: 'Provider', held: MRD, on: 'v1.20.0', want: ['error unregistered-kind'] },
  { kind: 'Provider', held: MRD, on: 'v2.0.2', want: ['error object-not-allowed'] },
  { kind: 'Provider', held: MRD, on: 'v2.0.3', want: [] },
  { kind: 'Provider', held: COMPOSITION, on: 'v2.1.0', want: ['error object-not-allowed'] },
  { kind: 'Provider', held: COMPOSITION, on: 'v2.2.0', want: ['warning object-not-allowed'] },
  { kind: 'Configuration', held: V2_XRD, on: 'v1.20.0', want: ['error unregistered-kind'] },
  { kind: 'Configuration', held: V2_XRD, on: 'v2.0.0', want: [] },
  { kind: 'Configuration', held: OPERATION, on: 'v1.20.0', want: ['error unregistered-kind'] },
  { kind: 'Configuration', held: OPERATION, on: 'v2.0.0', want: [] },
  { kind: 'Provider', held: DELETE_OPTIONS, on: 'v2.1.0', want: ['error object-not-allowed'] },
  { kind: 'Function', held: POLICY, on: 'v1.16.5', want: ['error unregistered-kind'] },
  { kind: 'Function', held: POLICY, on: 'v1.17.0', want: [] },
  { kind: 'Function', held: CRD_LIST, on: 'v2.1.0', want: ['error object-not-allowed'] },
  { kind: 'Function', held: CRD_LIST, on: 'v2.2.0', want: ['warning object-not-allowed'] },
  { kind: 'Function', held: COMPOSITION, on: 'v2.1.0', want: [] },
  { kind: 'Function', held: COMPOSITION, on: 'v2.2.0', want: ['warning object-not-allowed'] },
])('a $kind with $held.kind on $on → $want', ({ kind, held, on, want }) => {
  expect(
    codes(contents({ kind, apiVersion: kind === 'Function' ? V1BETA1 : V1 }, [held]), on),
  ).toEqual(want);
});

test.each([
  { kind: 'Provider', field: 'controller', on: 'v1.20.11', want: ['error decode'] },
  { kind: 'Provider', field: 'controller', on: 'v2.0.0', want: [] },
  { kind: 'Configuration', field: 'controller', on: 'v1.20.11', want: [] },
  { kind: 'Function', field: 'image', on: 'v1.20.11', want: ['error decode'] },
  { kind: 'Function', field: 'image', on: 'v2.0.0', want: [] },
  { kind: 'Configuration', field: 'capabilities', on: 'v1.20.11', want: [] },
  { kind: 'Configuration', field: 'capabilities', on: 'v2.0.0', want: ['error decode'] },
])('$on decodes or ignores spec.$field of a $kind → $want', ({ kind, field, on, want }) => {
  expect(codes(contents({ kind, fieldErrors: { [field]: 'wrong' } }), on)).toEqual(want);
});

test('owned objects are sorted, unique, and include the claim of an XRD', () => {
  const judged = judge(
    contents({}, [
      COMPOSITION,
      xrd('xdbs.acme.io', 'dbs.acme.io'),
      xrd('xdbs.acme.io', 'dbs.acme.io'),
    ]),
    target('v1.20.0'),
  );
  expect(judged).toMatchObject({
    owns: [
      { kind: 'Composition', name: 'x.example.org' },
      { kind: 'XRD', name: 'xdbs.acme.io' },
      { kind: 'claim', name: 'dbs.acme.io' },
    ],
  });
});

test('findings about dependsOn entries have a line', () => {
  const judged = contents({ dependsOn: [{ provider: 'xpkg.io/a/p' }], dependsOnLines: [12] });
  expect(judge(judged, target('v2.3.4')).findings).toMatchObject([
    { code: 'dependency-constraint', line: 12 },
  ]);
});

const configuration = (composition: CompositionSpec | undefined) =>
  contents({ kind: 'Configuration' }, [
    { apiVersion: 'apiextensions.crossplane.io/v1', kind: 'Composition', name: 'x', composition },
  ]);

describe('Compositions on releases with `mode: Pipeline` only', () => {
  test.each([
    { spec: { mode: 'Resources', pipeline: false }, refused: true },
    { spec: { mode: 'Resources', pipeline: true }, refused: true },
    { spec: { pipeline: false }, refused: true },
    { spec: { mode: 'Pipeline', pipeline: false }, refused: true },
    { spec: { mode: 'Pipeline', pipeline: true }, refused: false },
    { spec: { pipeline: true }, refused: false },
    { spec: undefined, refused: false },
  ])('$spec: refused $refused by v2, never by v1', ({ spec, refused }) => {
    const want = refused ? ['error api-refused'] : [];
    for (const on of ['v2.0.0', 'v2.3.4']) expect(codes(configuration(spec), on)).toEqual(want);
    for (const on of ['v1.14.0', 'v1.20.11']) expect(codes(configuration(spec), on)).toEqual([]);
  });

  test('the message contains the reply of the API server', () => {
    const { findings } = judge(
      configuration({ mode: 'Resources', pipeline: false }),
      target('v2.3.4'),
    );
    expect(findings[0]?.message).toContain(
      'Composition `x` has `mode: Resources`, and Crossplane v2.3.4 accepts only `mode: Pipeline` (API server: spec.mode: Unsupported value: "Resources": supported values: "Pipeline")',
    );
  });

  test('objects that are not installed are not checked', () => {
    const { metas } = contents({ kind: 'Function' });
    const { objects, ...rest } = configuration({ pipeline: false });
    const held = { ...rest, metas, objects };
    expect(codes(held, 'v2.1.0')).toEqual(['error api-refused']);
    expect(codes(held, 'v2.3.4')).toEqual(['warning object-not-allowed']);
  });
});

test('findings about more than 1,000 objects of a package are counted', () => {
  const objects = Array.from({ length: 1_500 }, (_, i) => ({ ...COMPOSITION, name: `c${i}` }));
  const judged = judge(contents({ kind: 'Provider' }, objects), target('v2.3.4'));
  expect(judged.findings).toHaveLength(1_001);
  expect(judged.findings.at(-1)!.message).toBe('there are 500 more objects like these');
});
