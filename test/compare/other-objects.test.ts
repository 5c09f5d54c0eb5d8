import { expect, test } from 'vitest';
import { compareCompositions } from '../../src/compare/compositions.js';
import { comparePermissions } from '../../src/compare/permissions.js';
import type { JsonObject } from '../../src/text/json.js';

const composition = (kind: string, ...functions: readonly string[]): JsonObject => ({
  spec: {
    compositeTypeRef: { apiVersion: 'acme.dev/v1', kind },
    pipeline: functions.map((name) => ({ step: name, functionRef: { name } })),
  },
});

const found = (old: JsonObject, fresh: JsonObject) =>
  compareCompositions(old, fresh).map(({ severity, rule }) => `${severity} ${rule}`);

test('a Composition must not compose another kind; what it runs is harmless', () => {
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

const texts = (old: JsonObject, fresh: JsonObject) =>
  comparePermissions(old, fresh).map(({ text }) => text);

const request = (verbs: readonly string[], resources: readonly string[]) => ({
  apiGroups: [''],
  resources,
  verbs,
});

test('permissions are told one by one, however they are grouped', () => {
  const both = provider(request(['get', 'list'], ['secrets']));
  expect(
    texts(both, provider(request(['list'], ['secrets']), request(['get'], ['secrets']))),
  ).toEqual([]);
  expect(texts(both, provider(request(['get'], ['secrets', 'pods'])))).toEqual([
    'asks to get pods',
    'no longer asks to list secrets',
  ]);
});

test('a request of a million combinations is told as a whole', () => {
  const many = Array.from({ length: 1000 }, (_, i) => `r${i}`);
  const asked = provider({ apiGroups: many, resources: many, verbs: many });
  expect(comparePermissions(provider(), asked)).toHaveLength(1);
});
