import { describe, expect, test } from 'vitest';
import { byKubeVersion, compareDefinitions } from '../../../src/features/diff/definitions.js';
import type { JsonObject } from '../../../src/base/json.js';

const version = (name: string, parts: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object' } },
  ...parts,
});
const crd = (spec: JsonObject): JsonObject => ({
  kind: 'CustomResourceDefinition',
  spec: { scope: 'Cluster', names: { plural: 'things', kind: 'Thing' }, ...spec },
});

function found(old: JsonObject, newer: JsonObject): string[] {
  return compareDefinitions(old, newer).map(({ severity, rule, version: of }) =>
    `${severity} ${rule} ${of}`.trim(),
  );
}

const one = crd({ versions: [version('v1')] });
const changed = (spec: JsonObject) => found(one, crd({ versions: [version('v1')], ...spec }));

const stored = (name: string, strategy: string) =>
  crd({
    conversion: { strategy },
    versions: ['v1', 'v2'].map((each) => version(each, { storage: each === name })),
  });

describe('a change of the whole definition', () => {
  test.each<[string, JsonObject, string[]]>([
    ['scope', { scope: 'Namespaced' }, ['stored scope-changed']],
    ['kind', { names: { plural: 'things', kind: 'Other' } }, ['stored name-changed']],
    [
      'short names',
      { names: { plural: 'things', kind: 'Thing', shortNames: ['t'] } },
      ['harmless name-added'],
    ],
    ['conversion', { conversion: { strategy: 'Webhook' } }, ['writers conversion-changed']],
    ['unknown fields', { preserveUnknownFields: true }, ['readers unknown-fields-kept']],
    ['a new version', { versions: [version('v1'), version('v2')] }, ['harmless version-added v2']],
    [
      'a version not served',
      { versions: [version('v1', { served: false })] },
      ['writers version-unserved v1'],
    ],
    [
      'deprecated',
      { versions: [version('v1', { deprecated: true })] },
      ['harmless version-deprecated v1'],
    ],
    [
      'status',
      { versions: [version('v1', { subresources: { status: {} } })] },
      ['writers subresource-changed v1'],
    ],
    [
      'columns',
      { versions: [version('v1', { additionalPrinterColumns: [{ name: 'A' }] })] },
      ['harmless columns-changed v1'],
    ],
  ])('%s', (_, spec, want) => {
    expect(changed(spec)).toEqual(want);
  });

  test('removing a version breaks stored objects if it stores them, and writers otherwise', () => {
    const two = crd({ versions: [version('v1'), version('v1beta1')] });
    expect(found(two, crd({ versions: [version('v1')] }))).toEqual([
      'writers version-removed v1beta1',
    ]);
    const moved = crd({ versions: [version('v1beta1', { storage: true })] });
    expect(found(two, moved)).toEqual([
      'stored version-removed v1',
      'stored storage-changed v1beta1',
    ]);
  });

  test('a new storage version loses fields without a conversion', () => {
    expect(found(stored('v1', 'None'), stored('v2', 'None'))).toEqual([
      'stored storage-changed v2',
    ]);
    expect(found(stored('v1', 'Webhook'), stored('v2', 'Webhook'))).toEqual([
      'writers storage-changed v2',
    ]);
  });
});

const pairs = (strategy: string, old: JsonObject[], newer: JsonObject[]) =>
  found(
    crd({ conversion: { strategy }, versions: old }),
    crd({ conversion: { strategy }, versions: newer }),
  );

const typed = (name: string, type: string) =>
  version(name, { schema: { openAPIV3Schema: { properties: { size: { type } } } } });

test('new differences between served versions are reported without a conversion', () => {
  const before = [typed('v1', 'string'), typed('v1beta1', 'string')];
  const after = [typed('v1', 'integer'), typed('v1beta1', 'string')];
  expect(pairs('None', before, after)).toEqual([
    'stored type-changed v1',
    'stored type-changed v1beta1 -> v1',
  ]);
  expect(pairs('Webhook', before, after)).toEqual(['stored type-changed v1']);
  expect(pairs('None', after, after)).toEqual([]);
});

const xrd = (apiVersion: string, parts: JsonObject = {}): JsonObject => ({
  apiVersion: `apiextensions.crossplane.io/${apiVersion}`,
  kind: 'CompositeResourceDefinition',
  spec: {
    claimNames: { kind: 'Db', plural: 'dbs' },
    versions: [version('v1', { referenceable: true })],
    ...parts,
  },
});

test('an XRD stores its referenceable version, and its API version defines the default scope', () => {
  expect(found(xrd('v1'), xrd('v2'))).toEqual(['stored scope-changed']);
  expect(found(xrd('v1'), xrd('v1', { claimNames: { kind: 'D', plural: 'dbs' } }))).toEqual([
    'stored name-changed',
  ]);
  expect(found(xrd('v1'), xrd('v1', { versions: [] }))).toEqual(['stored version-removed v1']);
});

const old = (type: string) =>
  crd({ version: 'v1', validation: { openAPIV3Schema: { properties: { a: { type } } } } });

test('a CRD of v1beta1 has one schema for all versions', () => {
  const [finding] = compareDefinitions(old('string'), old('integer'));
  expect(finding).toMatchObject({
    rule: 'type-changed',
    version: 'v1',
    before: ['spec', 'validation', 'openAPIV3Schema', 'properties', 'a', 'type'],
  });
});

test('API versions are ordered by stability', () => {
  const versions = ['v2', 'v1', 'v1beta2', 'v10', 'v1alpha1', 'x', 'v1beta10', 'v2alpha1'];
  expect(versions.sort(byKubeVersion)).toEqual([
    'x',
    'v1alpha1',
    'v2alpha1',
    'v1beta2',
    'v1beta10',
    'v1',
    'v2',
    'v10',
  ]);
});
