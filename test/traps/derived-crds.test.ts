import { expect, test } from 'vitest';
import { ownedObjects, ownershipKey } from '../../src/crossplane/packages/owned-objects.js';
import { crd, target, xrd } from '../support/contents.js';

test.each(['v1.14.0', 'v1.20.0', 'v2.3.4'])(
  'the claim of an XRD and the CRD of a Provider are one CRD on %s',
  (on) => {
    const configuration = ownedObjects(
      [xrd('xdbs.acme.io', 'dbs.acme.io')],
      'Configuration',
      target(on),
    );
    const provider = ownedObjects([crd('dbs.acme.io')], 'Provider', target(on));
    const keys = new Set(configuration.map(ownershipKey));
    expect(provider.map(ownershipKey).filter((key) => keys.has(key))).toEqual(['crd:dbs.acme.io']);
  },
);

test('the composite of an XRD counts as well, and so does an MRD', () => {
  const mrd = {
    apiVersion: 'apiextensions.crossplane.io/v1alpha1',
    kind: 'ManagedResourceDefinition',
    name: 'xdbs.acme.io',
  };
  const on = target('v2.3.4');
  expect(ownedObjects([mrd], 'Provider', on).map(ownershipKey)).toEqual(['crd:xdbs.acme.io']);
  expect(ownedObjects([xrd('xdbs.acme.io')], 'Configuration', on).map(ownershipKey)).toEqual([
    'crd:xdbs.acme.io',
  ]);
});

function webhook(kind: string) {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return { apiVersion, kind, name: 'webhook-configuration' };
}

test('webhook configurations never conflict, because they are renamed', () => {
  const objects = [
    webhook('ValidatingWebhookConfiguration'),
    webhook('MutatingWebhookConfiguration'),
  ];
  expect(ownedObjects(objects, 'Provider', target('v2.3.4'))).toEqual([]);
});

test('a Composition and a CRD with one name are no conflict', () => {
  expect(ownershipKey({ kind: 'Composition', name: 'dbs.acme.io' })).not.toBe(
    ownershipKey({ kind: 'CRD', name: 'dbs.acme.io' }),
  );
});

test('objects without a name own nothing, so they never conflict', () => {
  expect(ownedObjects([crd('')], 'Provider', target('v1.20.0'))).toEqual([]);
});
