import { expect, test } from 'vitest';
import {
  definitionOf,
  readDefiningSpec,
} from '../../../src/crossplane/packages/package-contents.js';
import type { JsonValue } from '../../../src/base/json.js';

const DB = { group: 'acme.io', names: { kind: 'Db' } };
const CLAIM = { claimNames: { plural: 'dbs', kind: 'Db' } };

test.each<{ kind: string; apiVersion?: string; spec: JsonValue; want: object; why: string }>([
  {
    kind: 'CustomResourceDefinition',
    spec: { ...DB, versions: [{ name: 'v1beta1' }, { name: 'v1' }] },
    want: { defines: { group: 'acme.io', kind: 'Db', versions: ['v1beta1', 'v1'] } },
    why: 'a list of versions',
  },
  {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1beta1',
    spec: { ...DB, version: 'v1', versions: [{ name: 'v1' }, { name: 'v2' }] },
    want: { defines: { group: 'acme.io', kind: 'Db', versions: ['v1', 'v2'] } },
    why: 'v1beta1 names the first version once more',
  },
  {
    kind: 'CustomResourceDefinition',
    spec: { ...DB, version: 'v1', versions: [{ name: 'v2' }] },
    want: { defines: { group: 'acme.io', kind: 'Db', versions: ['v2'] } },
    why: 'from v1 on `spec.version` has no effect',
  },
  {
    kind: 'CompositeResourceDefinition',
    spec: { ...DB, claimNames: { plural: '', kind: '' } },
    want: { defines: { group: 'acme.io', kind: 'Db', versions: [] } },
    why: 'a claim with an empty name is none',
  },
  {
    kind: 'CustomResourceDefinition',
    spec: { ...DB, ...CLAIM },
    want: { defines: { group: 'acme.io', kind: 'Db', versions: [] } },
    why: 'only an XRD offers a claim',
  },
  {
    kind: 'CompositeResourceDefinition',
    spec: { group: 'acme.io', names: { kind: 'XDb' }, ...CLAIM },
    want: {
      defines: { group: 'acme.io', kind: 'XDb', versions: [] },
      claimCrd: 'dbs.acme.io',
      claimKind: 'Db',
    },
    why: 'an XRD with a claim',
  },
  {
    kind: 'CompositeResourceDefinition',
    spec: { group: 'acme.io', ...CLAIM },
    want: { claimCrd: 'dbs.acme.io', claimKind: 'Db' },
    why: 'the claim is known where the composite is not',
  },
  {
    kind: 'CustomResourceDefinition',
    spec: {
      ...DB,
      versions: [
        { name: 'v1', served: false },
        { name: 'v2', served: true, deprecated: true },
        { name: 'v3', served: true, storage: true },
      ],
    },
    want: {
      defines: {
        group: 'acme.io',
        kind: 'Db',
        versions: ['v1', 'v2', 'v3'],
        storage: 'v3',
        unserved: ['v1'],
        deprecated: ['v2'],
      },
    },
    why: 'which versions are served, deprecated and stored',
  },
  {
    kind: 'CompositeResourceDefinition',
    spec: { ...DB, versions: [{ name: 'v1', served: true, referenceable: true }] },
    want: { defines: { group: 'acme.io', kind: 'Db', versions: ['v1'], storage: 'v1' } },
    why: 'an XRD stores what may be referenced',
  },
  { kind: 'Composition', spec: DB, want: {}, why: 'it defines nothing' },
  { kind: 'ManagedResourceDefinition', spec: { names: DB.names }, want: {}, why: 'no group' },
  { kind: 'CustomResourceDefinition', spec: ['a'], want: {}, why: 'a spec that is a list' },
  {
    kind: 'CustomResourceDefinition',
    spec: { group: 7, names: 'x', versions: [null, { name: 1 }] },
    want: {},
    why: 'values of other types',
  },
])('$kind: $why', ({ kind, apiVersion = 'apiextensions.k8s.io/v1', spec, want }) => {
  expect(definitionOf(kind, readDefiningSpec(apiVersion, spec))).toEqual(want);
});
