import { describe, expect, test } from 'vitest';
import {
  objectTemplate,
  withoutClusterState,
} from '../../../src/project/manifests/object-template.js';
import type { JsonObject } from '../../../src/base/json.js';

const nothing = { kind: 'Provider', defaults: {}, spec: {}, object: undefined } as const;

const dump: JsonObject = {
  kind: 'Provider',
  apiVersion: 'pkg.crossplane.io/v1',
  metadata: {
    uid: '6e1b',
    name: 'mine',
    labels: { team: 'a' },
    generation: 3,
    resourceVersion: '17',
    creationTimestamp: '2024-01-01T00:00:00Z',
    managedFields: [{ manager: 'kubectl' }],
    ownerReferences: [{ uid: '1' }],
    finalizers: ['acme.dev/keep'],
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
  },
  spec: { package: 'x.io/a/p:v1.0.0', revisionHistoryLimit: 1 },
  status: { currentRevision: 'mine-1' },
};

describe('objectTemplate', () => {
  test.each([
    { parts: {}, want: {}, why: 'nothing said' },
    {
      parts: { defaults: { packagePullPolicy: 'Always' }, spec: { packagePullPolicy: 'Never' } },
      want: { packagePullPolicy: 'Never' },
      why: 'an entry beats the defaults',
    },
    {
      parts: {
        spec: { packagePullPolicy: 'Never' },
        object: { spec: { packagePullPolicy: 'Always' } },
      },
      want: { packagePullPolicy: 'Always' },
      why: 'the object itself beats the entry',
    },
    {
      parts: { defaults: { commonLabels: { a: '1', b: '1' } }, spec: { commonLabels: { b: '2' } } },
      want: { commonLabels: { a: '1', b: '2' } },
      why: 'mappings are merged',
    },
    {
      parts: {
        defaults: { packagePullSecrets: [{ name: 'a' }] },
        spec: { packagePullSecrets: [{ name: 'b' }] },
      },
      want: { packagePullSecrets: [{ name: 'b' }] },
      why: 'lists are replaced',
    },
    {
      parts: {
        defaults: { packagePullSecrets: [{ name: 'a' }] },
        spec: { packagePullSecrets: null },
      },
      want: {},
      why: 'null takes away',
    },
    {
      parts: { object: { spec: { package: 'x.io/a/p:v1' } } },
      want: {},
      why: 'the package is ours',
    },
    {
      parts: { kind: 'Configuration', defaults: { runtimeConfigRef: { name: 'big' } } },
      want: {},
      why: 'a default for other kinds',
    },
    {
      parts: { kind: 'Configuration', spec: { runtimeConfigRef: { name: 'big' } } },
      want: { runtimeConfigRef: { name: 'big' } },
      why: 'said of this one: rendering tells',
    },
  ] as const)('spec $want: $why', ({ parts, want }) => {
    expect(objectTemplate({ ...nothing, ...parts }).spec).toEqual(want);
  });

  test('an object from a dump loses the fields of its cluster', () => {
    expect(objectTemplate({ ...nothing, object: dump })).toEqual({
      apiVersion: 'pkg.crossplane.io/v1',
      metadata: { labels: { team: 'a' } },
      spec: { revisionHistoryLimit: 1 },
    });
  });

  test('the order of keys is fixed, and `__proto__` is an ordinary key', () => {
    expect(mergedSpec('{"b":{"d":1,"c":2},"__proto__":{"x":1},"a":0}')).toBe(
      '{"__proto__":{"x":1},"a":0,"b":{"c":2,"d":1}}',
    );
  });
});

test('an extra manifest loses the same fields, and keeps its name', () => {
  expect(withoutClusterState(dump)).toEqual({
    apiVersion: 'pkg.crossplane.io/v1',
    kind: 'Provider',
    metadata: { name: 'mine', labels: { team: 'a' } },
    spec: { package: 'x.io/a/p:v1.0.0', revisionHistoryLimit: 1 },
  });
});

function mergedSpec(text: string): string {
  return JSON.stringify(objectTemplate({ ...nothing, spec: JSON.parse(text) as JsonObject }).spec);
}
