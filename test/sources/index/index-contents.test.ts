import { expect, test } from 'vitest';
import { indexedContents } from '../../../src/sources/index/index-entry.js';

const held = { kind: 'Provider' } as const;
const objects = (entry: Parameters<typeof indexedContents>[0], of: typeof held = held) =>
  indexedContents(entry, 'xpkg.example.org/acme/provider-x', of).objects;

test('consecutive versions with the same CRDs share one list of objects', () => {
  const first = objects({ crds: ['a.example.org', 'b.example.org'] });
  expect(first.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'CustomResourceDefinition a.example.org',
    'CustomResourceDefinition b.example.org',
  ]);
  expect(objects({ crds: ['a.example.org', 'b.example.org'], crossplane: '>=v1.14.0' })).toBe(
    first,
  );
});

test.each([
  { why: 'one more', entry: { crds: ['a.example.org', 'b.example.org'] }, count: 2 },
  { why: 'another', entry: { crds: ['b.example.org'] }, count: 1 },
  { why: 'none', entry: {}, count: 0 },
  {
    why: 'an XRD beside it',
    entry: { crds: ['a.example.org'], xrds: [{ name: 'xs.example.org' }] },
    count: 2,
  },
  {
    why: 'a Composition beside it',
    entry: { crds: ['a.example.org'], compositions: ['c'] },
    count: 2,
  },
  {
    why: 'another object beside it',
    entry: { crds: ['a.example.org'], objects: [{ kind: 'Composition', name: 'c' }] },
    count: 2,
  },
])('a version with other objects has its own list: $why', ({ entry, count }) => {
  const one = objects({ crds: ['a.example.org'] });
  expect(one).toHaveLength(1);
  expect(objects(entry)).toHaveLength(count);
  expect(one).toHaveLength(1);
});

test('a definition is that of its version', () => {
  objects({ crds: ['a.example.org'] });
  const a = { group: 'example.org', versions: [{ name: 'v1', kinds: ['A'] }] };
  const [object] = objects({ crds: ['a.example.org'], defines: { 'a.example.org': a } } as never);
  expect(object!.defines).toEqual(a);
});
