import { expect, test } from 'vitest';
import { compareCompositions, comparePermissions } from '../../../src/features/diff/documents.js';
import type { JsonObject } from '../../../src/base/json.js';

const composition = (kind: string, ...functions: readonly string[]): JsonObject => ({
  spec: {
    compositeTypeRef: { apiVersion: 'acme.dev/v1', kind },
    pipeline: functions.map((name) => ({ step: name, functionRef: { name } })),
  },
});

const found = (old: JsonObject, newer: JsonObject) =>
  compareCompositions(old, newer).map(({ severity, rule }) => `${severity} ${rule}`);

test('a new composite type of a Composition breaks stored objects, other functions are harmless', () => {
  expect(found(composition('A', 'f'), composition('B', 'f'))).toEqual([
    'stored composite-type-changed',
  ]);
  expect(found(composition('A', 'f'), composition('A', 'g'))).toEqual([
    'harmless pipeline-changed',
  ]);
  const labelled = { ...composition('A', 'f'), metadata: { labels: { a: 'b' } } };
  expect(found(composition('A', 'f'), labelled)).toEqual([]);
});

const provider = (...requests: readonly JsonObject[]): JsonObject => ({
  spec: { controller: { permissionRequests: requests } },
});

const texts = (old: JsonObject, newer: JsonObject) =>
  comparePermissions(old, newer).map(({ text }) => text);

const request = (verbs: readonly string[], resources: readonly string[]) => ({
  apiGroups: [''],
  resources,
  verbs,
});

test('permissions are listed one by one, regardless of their grouping', () => {
  const both = provider(request(['get', 'list'], ['secrets']));
  expect(
    texts(both, provider(request(['list'], ['secrets']), request(['get'], ['secrets']))),
  ).toEqual([]);
  expect(texts(both, provider(request(['get'], ['secrets', 'pods'])))).toEqual([
    'asks to get pods',
    'no longer asks to list secrets',
  ]);
});

test('a request with a million combinations is shown as a whole', () => {
  const many = Array.from({ length: 1000 }, (_, i) => `r${i}`);
  const largeRequest = provider({ apiGroups: many, resources: many, verbs: many });
  expect(comparePermissions(provider(), largeRequest)).toHaveLength(1);
});
