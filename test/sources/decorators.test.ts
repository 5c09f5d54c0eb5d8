import { describe, expect, test } from 'vitest';
import type { Repository } from '../../src/crossplane/packages/package.js';
import type { AskedPackage, PackageSource } from '../../src/sources/package-source.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { firstKnowing, withConcurrencyLimit } from '../../src/sources/decorators.js';
import { memorySource } from '../../src/sources/memory-source.js';

const target = targetFor('v2.3.4')!;
const A = 'xpkg.io/a';
const B = 'xpkg.io/b';
const at = (repository: Repository, version: string) => ({ repository, version });

const near = memorySource({
  packages: {
    [A]: { kind: 'Provider', versions: { 'v1.0.0': { name: 'near', crds: ['x.io'] } } },
    'xpkg.io/z': { kind: 'Provider', versions: { 'v1.0.0': { crds: ['y.io'] } } },
  },
});
const far = memorySource({
  packages: {
    [A]: { kind: 'Provider', versions: { 'v1.0.0': {}, 'v2.0.0': { crds: ['y.io'] } } },
    [B]: { kind: 'Provider', versions: { 'v3.0.0': { crds: ['y.io'] } } },
  },
});

/** A source that records its calls. */
function recorded(source: PackageSource): { source: PackageSource; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    source: {
      async tags(repository, target) {
        asked.push(`tags ${repository}`);
        return source.tags(repository, target);
      },
      async fetch(candidate, target) {
        asked.push(`fetch ${candidate.repository} ${candidate.version}`);
        return source.fetch(candidate, target);
      },
    },
  };
}

describe('firstKnowing', () => {
  const both = firstKnowing([near, far]);

  test('the first source that knows a repository answers for it', async () => {
    expect(await both.tags(A, target)).toEqual(['v1.0.0']);
    expect(await both.tags(B, target)).toEqual(['v3.0.0']);
    expect(await both.tags('xpkg.io/none', target)).toBeUndefined();
    expect(await both.fetch(at(A, 'v1.0.0'), target)).toMatchObject({
      contents: { metas: [{ name: 'near' }] },
    });
  });

  test('later sources are not searched for a missing version', async () => {
    expect(await both.fetch(at(A, 'v2.0.0'), target)).toBeUndefined();
    expect(await both.fetch(at(B, 'v3.0.0'), target)).toBeDefined();
  });

  test('the last source is not queried for tags to fetch one version', async () => {
    const last = recorded(far);
    await firstKnowing([near, last.source]).fetch(at(B, 'v9.0.0'), target);
    expect(last.asked).toEqual(['fetch xpkg.io/b v9.0.0']);
  });

  test('owners are merged, each repository from the source that answers for it', async () => {
    expect(await both.owners!({ crd: 'y.io' }, target)).toEqual([
      { repository: B, versions: ['v3.0.0'] },
      { repository: 'xpkg.io/z', versions: ['v1.0.0'] },
    ]);
    expect(await both.repositories!()).toEqual([A, B, 'xpkg.io/z']);
  });

  test('owners and repositories are unavailable if no source has them', () => {
    const chain = firstKnowing([recorded(near).source, recorded(far).source]);
    expect('owners' in chain || 'repositories' in chain).toBe(false);
  });

  test('without sources, no package is known', async () => {
    expect(await firstKnowing([]).tags(A, target)).toBeUndefined();
    expect(await firstKnowing([]).fetch(at(A, 'v1.0.0'), target)).toBeUndefined();
  });
});

test('limited has owners and repositories only if its source does', async () => {
  const source = withConcurrencyLimit(near, 2);
  expect(await source.repositories!()).toEqual([A, 'xpkg.io/z']);
  expect(await source.owners!({ crd: 'x.io' }, target)).toEqual([
    { repository: A, versions: ['v1.0.0'] },
  ]);
  expect(Object.keys(withConcurrencyLimit(recorded(near).source, 2)).sort()).toEqual([
    'fetch',
    'tags',
  ]);
});

const PARTS = { digest: undefined, manifest: undefined, baseLayer: undefined };

test.each([
  { concurrency: 2, passed: PARTS },
  { concurrency: 1, passed: undefined },
])('limited to $concurrency at once passes on parts to prefetch: $passed', async (row) => {
  const asked: unknown[] = [];
  const fetch = async ({ parts }: AskedPackage) => void asked.push(parts);
  const source = withConcurrencyLimit({ tags: async () => [], fetch }, row.concurrency);
  await source.fetch({ ...at(A, 'v1.0.0'), parts: PARTS }, target);
  expect(asked).toEqual([row.passed]);
});

test('limited limits concurrency', async () => {
  let running = 0;
  let most = 0;
  const slow = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return undefined;
  };
  const source = withConcurrencyLimit({ tags: slow, fetch: slow }, 3);
  await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      i % 2 === 0 ? source.tags(A, target) : source.fetch(at(A, `v${i}`), target),
    ),
  );
  expect(most).toBe(3);
});
