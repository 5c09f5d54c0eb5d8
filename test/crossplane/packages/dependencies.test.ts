import { expect, test } from 'vitest';
import { readDependencies, readDependency } from '../../../src/crossplane/packages/dependencies.js';
import type { JsonValue } from '../../../src/base/json.js';
import { target } from '../../support/contents.js';

const P = 'xpkg.io/a/p';
const DIGEST = `sha256:${'a'.repeat(64)}`;

function code(entry: JsonValue, on: string, compat = false): string | undefined {
  const { requirement, findings } = readDependency(entry, { target: target(on), compat });
  const error = findings.find((finding) => finding.severity === 'error');
  expect(requirement === undefined).toBe(error !== undefined);
  return error?.code;
}

test.each([
  { version: '>=v1.0.0', on: 'v1.14.0', want: undefined, why: 'a range' },
  { version: '', on: 'v2.3.0', want: 'dependency-constraint', why: 'empty is improper everywhere' },
  { version: 'latest', on: 'v2.3.0', want: 'dependency-constraint', why: 'no channel tags' },
  { version: DIGEST, on: 'v1.18.0', want: undefined, why: 'digests count from v1.18 on' },
  { version: DIGEST, on: 'v1.17.0', want: 'dependency-constraint', why: 'and not before' },
  {
    version: DIGEST.toUpperCase(),
    on: 'v2.3.0',
    want: 'dependency-constraint',
    why: 'hex is lower case',
  },
  {
    version: '>=1.0.0 <2.0.0',
    on: 'v2.2.4',
    want: 'dependency-constraint',
    why: 'a space is no AND in 1.5.0',
  },
  { version: '>=1.0.0 <2.0.0', on: 'v2.3.0', want: undefined, why: 'it is in 3.4.0' },
  { version: 1.2, on: 'v2.3.0', want: 'dependency-form', why: 'Go decodes no number as a string' },
  { version: null, on: 'v2.3.0', want: 'dependency-constraint', why: 'null leaves it empty' },
])('version $version on $on → $want: $why', ({ version, on, want }) => {
  expect(code({ provider: P, version }, on)).toBe(want);
});

test.each([
  { source: 'xpkg.io/a/p', on: 'v2.0.0', want: undefined, why: 'host and path' },
  { source: 'a/p', on: 'v2.0.0', want: 'dependency-source', why: 'v2 has no default registry' },
  { source: 'a/p', on: 'v1.20.0', want: undefined, why: 'v1 has one' },
  {
    source: 'xpkg.io/a/p:v1',
    on: 'v1.20.0',
    want: 'dependency-source',
    why: 'a tag would be doubled',
  },
  { source: '', on: 'v1.14.0', want: 'dependency-source', why: 'no repository at all' },
])('source $source on $on → $want: $why', ({ source, on, want }) => {
  expect(code({ provider: source, version: '*' }, on)).toBe(want);
});

test.each([
  { entry: 'provider', why: 'a string' },
  { entry: ['provider'], why: 'a list' },
  { entry: null, why: 'nothing' },
  { entry: { version: '*' }, why: 'no package' },
  { entry: { provider: 7, version: '*' }, why: 'a number for a name' },
])('an entry that is $why is refused on every target', ({ entry }) => {
  expect(code(entry, 'v1.14.0')).toBe('dependency-form');
  expect(code(entry, 'v2.3.4')).toBe('dependency-form');
});

test.each([
  { apiVersion: 'pkg.crossplane.io/v1', kind: 'Provider', want: undefined },
  { apiVersion: 'pkg.crossplane.io/v1beta1', kind: 'Function', want: undefined },
  { apiVersion: 'pkg.crossplane.io/v1beta1', kind: 'Provider', want: 'dependency-kind' },
  { apiVersion: 'example.org/v1', kind: 'Provider', want: 'dependency-kind' },
  { apiVersion: 'pkg.crossplane.io/v1', kind: 'Plugin', want: 'dependency-kind' },
])('an explicit $kind of $apiVersion → $want', ({ apiVersion, kind, want }) => {
  expect(code({ apiVersion, kind, package: P, version: '*' }, 'v1.19.0')).toBe(want);
});

test.each([
  { crd: 'buckets.s3.example.org', demand: { crd: 'buckets.s3.example.org' } },
  {
    crd: 'mytype.mygroup.example.org/v1alpha1',
    demand: { crd: 'mytype.mygroup.example.org', version: 'v1alpha1' },
  },
  {
    crd: '*.yourstack.example.org/v1alpha1',
    demand: { group: 'yourstack.example.org', version: 'v1alpha1', kind: '*' },
  },
  {
    crd: 'example.org/v1, Kind=Bucket',
    demand: { group: 'example.org', version: 'v1', kind: 'Bucket' },
  },
  {
    crd: { apiVersion: 'example.org/v1', kind: 'Bucket' },
    demand: { group: 'example.org', version: 'v1', kind: 'Bucket' },
  },
])('crd: $crd is accepted only with `--compat`', ({ crd, demand }) => {
  const { requirement, findings } = readDependency(
    { crd },
    { target: target('v2.3.4'), compat: true },
  );
  expect(requirement).toMatchObject({ requires: 'crd', demand });
  expect(findings).toMatchObject([{ severity: 'warning', code: 'dependency-crd' }]);
  expect(code({ crd }, 'v2.3.4')).toBe('dependency-crd');
});

test('an invalid `crd:` entry is refused even with `--compat`', () => {
  expect(code({ crd: 'bucket' }, 'v2.3.4', true)).toBe('dependency-crd');
});

test('requirements keep the order and the lines of their entries', () => {
  const entries = [
    { function: 'xpkg.io/a/f', version: '*' },
    { provider: P, version: 'v1.0.0' },
  ];
  const { requirements } = readDependencies(entries, {
    target: target('v2.3.4'),
    compat: false,
    lines: [7, 9],
  });
  expect(requirements).toMatchObject([
    { repository: 'xpkg.io/a/f', kind: 'Function', constraint: '*', line: 7 },
    { repository: P, kind: 'Provider', constraint: 'v1.0.0', line: 9 },
  ]);
});
