import { expect, test } from 'vitest';
import {
  imageConfigsIn,
  pullSecretFor,
  rewrittenImage,
} from '../../../src/crossplane/package-manager/image-config.js';
import type { JsonObject } from '../../../src/base/json.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';

const TARGET = targetFor('v2.3.4')!;

function configs(...specs: readonly JsonObject[]) {
  return imageConfigsIn(
    specs.map(({ name, prefixes, ...spec }, index) => ({
      object: {
        apiVersion: 'pkg.crossplane.io/v1beta1',
        kind: 'ImageConfig',
        metadata: { name: name ?? `config-${index}` },
        spec: {
          matchImages: (prefixes as string[]).map((prefix) => ({ prefix })),
          ...spec,
        },
      },
      origin: { file: 'x.yaml', line: index + 1 },
    })),
  );
}

function to(prefix: string): JsonObject {
  return { rewriteImage: { prefix } };
}

function secret(name: string): JsonObject {
  return { registry: { authentication: { pullSecretRef: { name } } } };
}

test.each([
  {
    why: 'one prefix for another',
    given: [{ prefixes: ['xpkg.upbound.io'], ...to('mirror.local/xpkg') }],
    want: 'mirror.local/xpkg/u/p:v1',
  },
  {
    why: 'no slash is added or removed',
    given: [{ prefixes: ['xpkg.upbound.io/'], ...to('mirror.local') }],
    want: 'mirror.localu/p:v1',
  },
  {
    why: 'a prefix may end inside a name',
    given: [{ prefixes: ['xpkg.upbound.io/u'], ...to('m.io/v') }],
    want: 'm.io/v/p:v1',
  },
  {
    why: 'the longest prefix wins, wherever it stands',
    given: [
      { prefixes: ['xpkg.upbound.io/u/', 'xpkg'], ...to('long.io/') },
      { prefixes: ['xpkg.upbound.io'], ...to('short.io') },
    ],
    want: 'long.io/p:v1',
  },
  {
    why: 'of equals the first by name',
    given: [
      { name: 'b', prefixes: ['xpkg.upbound.io'], ...to('b.io') },
      { name: 'a', prefixes: ['xpkg.upbound.io'], ...to('a.io') },
    ],
    want: 'a.io/u/p:v1',
  },
  {
    why: 'rewriting happens once',
    given: [
      { prefixes: ['xpkg.upbound.io'], ...to('m.io') },
      { prefixes: ['m.io'], ...to('n.io') },
    ],
    want: 'm.io/u/p:v1',
  },
  {
    why: 'a config without a rewrite is ignored',
    given: [
      { prefixes: ['xpkg.upbound.io'], ...to('m.io') },
      { prefixes: ['xpkg.upbound.io/u/p'], ...secret('s') },
    ],
    want: 'm.io/u/p:v1',
  },
  {
    why: 'tag and all',
    given: [{ prefixes: ['xpkg.upbound.io/u/p:v1'], ...to('m.io/p@sha256:1') }],
    want: 'm.io/p@sha256:1',
  },
  {
    why: 'an empty prefix matches nothing',
    given: [{ prefixes: [''], ...to('m.io/') }],
    want: 'xpkg.upbound.io/u/p:v1',
  },
  { why: 'none', given: [], want: 'xpkg.upbound.io/u/p:v1' },
])('$why → $want', ({ given, want }) => {
  const image = 'xpkg.upbound.io/u/p:v1';
  expect(rewrittenImage(image, configs(...(given as JsonObject[])), TARGET).image).toBe(want);
});

test('releases without the rewrite feature rewrite nothing', () => {
  const given = configs({ prefixes: ['a.io'], ...to('m.io'), ...secret('s') });
  for (const [release, image, name] of [
    ['v1.20.0', 'm.io/p', 's'],
    ['v1.19.0', 'a.io/p', 's'],
    ['v1.16.0', 'a.io/p', undefined],
  ] as const) {
    const target = targetFor(release)!;
    expect(rewrittenImage('a.io/p', given, target).image).toBe(image);
    expect(pullSecretFor('a.io/p', given, target)?.name).toBe(name);
  }
});

test('a rewrite without a prefix is an error with its position', () => {
  const given = configs({ prefixes: ['a.io'], rewriteImage: {} });
  expect(() => rewrittenImage('a.io/p', given, TARGET)).toThrow(/^x\.yaml:1: /);
  expect(rewrittenImage('b.io/p', given, TARGET).image).toBe('b.io/p');
});

test('the pull secret is that of the longest prefix, on releases with ImageConfig', () => {
  const given = configs(
    { prefixes: ['m.io'], ...secret('short') },
    { prefixes: ['m.io/team'], ...secret('long') },
    { prefixes: ['m.io/team/p'], ...to('n.io') },
  );
  expect(pullSecretFor('m.io/team/p:v1', given, TARGET)?.name).toBe('long');
  expect(pullSecretFor('m.io/x', given, TARGET)?.name).toBe('short');
  expect(pullSecretFor('n.io/x', given, TARGET)).toBeUndefined();
  const other = { object: { kind: 'Provider' }, origin: { file: 'x' } };
  expect(imageConfigsIn([other])).toEqual([]);
});
