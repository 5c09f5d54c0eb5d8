import { expect, test } from 'vitest';
import {
  groupOf,
  objectTypeOf,
  ownedKindOf,
  ownershipKey,
} from '../../../src/crossplane/packages/owned-objects.js';

test.each([
  { kind: 'CustomResourceDefinition', group: 'apiextensions.k8s.io', want: 'CRD' },
  { kind: 'Composition', group: 'apiextensions.crossplane.io', want: 'Composition' },
  { kind: 'Composition', group: undefined, want: 'Composition' },
  { kind: 'Composition', group: 'acme.io', want: undefined },
  { kind: 'ValidatingWebhookConfiguration', group: undefined, want: undefined },
  { kind: 'constructor', group: undefined, want: undefined },
])('$kind of $group is owned as $want', ({ kind, group, want }) => {
  expect(ownedKindOf(kind, group)).toBe(want);
});

test('a claim is the CRD that its XRD adds', () => {
  const claim = { kind: 'claim', name: 'dbs.acme.io' } as const;
  expect(objectTypeOf('claim').kind).toBe('CompositeResourceDefinition');
  expect(groupOf(claim)).toBe('acme.io');
  expect(ownershipKey(claim)).toBe(ownershipKey({ kind: 'CRD', name: 'dbs.acme.io' }));
});

test('an object that defines nothing has its own group', () => {
  expect(groupOf({ kind: 'CronOperation', name: 'nightly.backup' })).toBe('ops.crossplane.io');
});
