import { expect, test } from 'vitest';
import { readDependency } from '../../src/crossplane/packages/dependencies.js';
import type { JsonValue } from '../../src/base/json.js';
import { target } from '../support/contents.js';

const P = 'xpkg.io/a/p';
const C = 'xpkg.io/a/c';
const API = 'pkg.crossplane.io/v1';

function read(entry: JsonValue, on: string) {
  return readDependency(entry, { target: target(on), compat: false }).requirement;
}

test.each([
  {
    entry: { provider: P, configuration: C, version: '*' },
    want: { repository: C, kind: 'Configuration', apiVersion: undefined },
    why: 'configuration comes before provider',
  },
  {
    entry: { provider: P, function: C, version: '*' },
    want: { repository: P, kind: 'Provider', apiVersion: undefined },
    why: 'provider comes before function',
  },
  {
    entry: { apiVersion: API, kind: 'Function', package: P, configuration: C, version: '*' },
    want: { repository: P, kind: 'Function', apiVersion: API },
    why: 'the explicit triple comes before all',
  },
  {
    entry: { apiVersion: API, kind: 'Provider', provider: P, version: '*' },
    want: { repository: P, kind: 'Provider', apiVersion: undefined },
    why: 'an incomplete triple is ignored',
  },
])('$why', ({ entry, want }) => {
  expect(read(entry, 'v1.19.0')).toMatchObject(want);
});

test('an incomplete explicit form alone names no package', () => {
  expect(read({ apiVersion: API, package: P, version: '*' }, 'v1.19.0')).toBeUndefined();
});

test('before v1.19 the explicit form is ignored, and the short form counts', () => {
  const triple = { apiVersion: API, kind: 'Function', package: P, version: '*' };
  expect(read(triple, 'v1.18.5')).toBeUndefined();
  expect(read({ ...triple, provider: C }, 'v1.18.5')).toMatchObject({
    repository: C,
    kind: 'Provider',
  });
});
