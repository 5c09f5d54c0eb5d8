import { describe, expect, test } from 'vitest';
import { noStats } from '../../../src/resolver/driver/read-stats.js';
import { SourceReader } from '../../../src/resolver/driver/source-reader.js';
import type { PackageSource } from '../../../src/sources/package-source.js';
import type { ReleaseRules } from '../../../src/crossplane/releases/release-facts.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { providers } from '../../support/universes.js';

const A = 'xpkg.io/a';
const NONE = 'xpkg.io/none';
const at = (version: string, repository = A) => ({ repository, version });
const on = (release: string) => targetFor(release)!;
const target = on('v2.3.4');
const universe = providers({ [A]: { 'v1.0.0': { crds: ['x.io'] }, 'v2.0.0': {} } });

/** A source that records its requests after `look` has read the target. */
function recorded(look: (target: ReleaseRules) => unknown = () => {}) {
  const source = memorySource(universe);
  const asked: string[] = [];
  const recording: PackageSource = {
    async tags(repository, to) {
      look(to);
      asked.push(`tags ${repository}`);
      return source.tags(repository, to);
    },
    async fetch(candidate, to) {
      look(to);
      asked.push(`fetch ${candidate.repository} ${candidate.version}`);
      return source.fetch(candidate, to);
    },
    async owners(demand, to) {
      look(to);
      asked.push(`owners ${JSON.stringify(demand)}`);
      return source.owners!(demand, to);
    },
  };
  return { source: recording, asked };
}

test('sends no request twice, not even while the first reply is pending', async () => {
  const { source, asked } = recorded();
  const reader = new SourceReader(source);
  await Promise.all([reader.tags(A, target), reader.tags(A, target)]);
  const found = await reader.fetch(at('v1.0.0'), target);
  expect(await reader.fetch(at('v1.0.0'), target)).toBe(found);
  for (const _ of [1, 2]) await reader.fetch(at('v9.0.0'), target);
  for (const _ of [1, 2]) await reader.owners!({ crd: 'x.io' }, target);
  expect(asked).toEqual([
    'tags xpkg.io/a',
    'fetch xpkg.io/a v1.0.0',
    'fetch xpkg.io/a v9.0.0',
    'owners {"crd":"x.io"}',
  ]);
});

describe('sends a request again for another target if a rule that was read differs', () => {
  test.each([
    { why: 'no rule was read', look: () => {}, asks: 1 },
    {
      why: 'a rule with the same value in all releases',
      look: ({ rules }: ReleaseRules) => rules.defaultRegistry,
      asks: 1,
    },
    {
      why: 'a rule with another value in v2.0.2',
      look: ({ rules }: ReleaseRules) => rules.skipsIncompleteTags,
      asks: 2,
    },
    {
      why: 'a rule that v2.2.0 changed',
      look: ({ rules }: ReleaseRules) => rules.imageConfig,
      asks: 2,
    },
    { why: 'all rules, by a copy', look: ({ rules }: ReleaseRules) => ({ ...rules }), asks: 3 },
    {
      why: 'all rules, by a clone',
      look: ({ rules }: ReleaseRules) => structuredClone(rules),
      asks: 3,
    },
  ])('$why: $asks', async ({ look, asks }) => {
    const { source, asked } = recorded(look);
    const reader = new SourceReader(source);
    for (const release of ['v2.2.0', 'v2.2.1', 'v2.0.2', 'v2.1.0', 'v2.2.2', 'v2.0.1']) {
      await reader.tags(A, on(release));
      await reader.fetch(at('v1.0.0'), on(release));
    }
    expect(asked).toHaveLength(2 * asks);
  });

  test('a source is given the rules of the release, and nothing else of the target', async () => {
    const given: string[][] = [];
    const { source } = recorded((to) => given.push(Object.keys(to)));
    const reader = new SourceReader(source);
    await reader.tags(A, target);
    await reader.fetch(at('v1.0.0'), target);
    await reader.owners!({ crd: 'x.io' }, target);
    expect(given).toEqual([['rules'], ['rules'], ['rules']]);
  });

  test('the owners of a CRD depend on the rules of the release', async () => {
    const versions = { 'v1.0.0': { crds: ['x.io'] } };
    const held = memorySource({ packages: { [A]: { kind: 'Function', versions } } });
    const reader = new SourceReader(held);
    const owners = (release: string) => reader.owners!({ crd: 'x.io' }, on(release));
    expect(await owners('v2.1.0')).toEqual([{ repository: A, versions: ['v1.0.0'] }]);
    expect(await owners('v2.2.0')).toEqual([]);
  });

  test('a pending reply is not used for a target with other rules', async () => {
    const requestedFor: (string | undefined)[] = [];
    const reader = new SourceReader({
      tags: async (_, { rules }) => {
        requestedFor.push(rules.defaultRegistry);
        await new Promise((resolve) => setImmediate(resolve));
        return [rules.defaultRegistry ?? 'none'];
      },
      fetch: async () => undefined,
    });
    const releases = ['v1.19.0', 'v1.19.1', 'v1.20.0', 'v1.20.1', 'v1.18.0'];
    const lists = await Promise.all(releases.map((release) => reader.tags(A, on(release))));
    expect(requestedFor).toEqual(['xpkg.upbound.io', 'xpkg.crossplane.io']);
    expect(lists.flat()).toEqual(releases.map((release) => on(release).rules.defaultRegistry));
  });

  test('a reader of a reader records the rules that a reply depends on', async () => {
    const { source, asked } = recorded(({ rules }) => rules.tarEntry);
    const inner = new SourceReader(source);
    const outer = new SourceReader({
      tags: (repository, to) => inner.tags(repository, to),
      fetch: (candidate, to) => inner.fetch(candidate, to),
    });
    for (const release of ['v1.20.0', 'v2.0.0', 'v1.20.0']) await outer.tags(A, on(release));
    expect(asked).toHaveLength(2);
  });
});

test('caches a failure', async () => {
  let asked = 0;
  const fail = () => Promise.reject(new Error(`${++asked}`));
  const reader = new SourceReader({ tags: fail, fetch: fail });
  for (const _ of [1, 2]) await expect(reader.tags(A, target)).rejects.toThrow('1');
});

function outOfOrder(): never {
  throw new Error('out of order');
}

test('a failed prefetch is reported when its result is needed, and not before', async () => {
  const reader = new SourceReader({ tags: outOfOrder, fetch: outOfOrder });
  reader.prefetchTags(A, target);
  void reader.prefetchPackage(at('v1.0.0'), target);
  await new Promise((resolve) => setImmediate(resolve));
  await expect(reader.tags(A, target)).rejects.toThrow('out of order');
  await expect(reader.fetch(at('v1.0.0'), target)).rejects.toThrow('out of order');
});

test('lists owners and repositories only if its source does', async () => {
  const reader = new SourceReader(memorySource(universe));
  expect(await reader.repositories!()).toEqual([A]);
  const owners = [{ repository: A, versions: ['v1.0.0'] }];
  expect(await reader.owners!({ crd: 'x.io' }, target)).toEqual(owners);
  const unlisted = new SourceReader({ tags: async () => [], fetch: async () => undefined });
  expect(unlisted.owners ?? unlisted.repositories).toBeUndefined();
});

test('`SourceReader.of` returns a reader unchanged', () => {
  const reader = new SourceReader(memorySource(universe));
  expect(SourceReader.of(reader)).toBe(reader);
});

describe('statistics', () => {
  test('counts requested tag lists and existing versions', async () => {
    const stats = noStats();
    const reader = new SourceReader(memorySource(universe), stats);
    for (const repository of [A, NONE, A]) await reader.tags(repository, target);
    await Promise.all(['v1.0.0', 'v9.0.0', 'v1.0.0'].map((v) => reader.fetch(at(v), target)));
    expect(stats).toEqual({ listed: 2, fetched: 1, bytes: 0, latest: `${A} v9.0.0` });
  });

  test('counts prefetched versions until they turn out not to exist', async () => {
    const reader = new SourceReader({
      distant: true,
      tags: async () => [],
      fetch: async () => undefined,
    });
    reader.prefetchTags(A, target);
    for (const _ of [1, 2]) void reader.prefetchPackage(at('v9.0.0'), target);
    await new Promise((resolve) => setImmediate(resolve));
    expect(reader.stats).toMatchObject({ listed: 1, fetched: 1 });
    await reader.fetch(at('v9.0.0'), target);
    void reader.prefetchPackage(at('v9.0.0'), target);
    await new Promise((resolve) => setImmediate(resolve));
    expect(reader.stats).toMatchObject({ listed: 1, fetched: 0 });
  });
});

describe('objects and dependencies of all packages have one limit', () => {
  const names = Array.from({ length: 200_000 }, (_, i) => `a${i}.b`);
  const large = (change: readonly string[]) => ({ crds: [...names, ...change] });
  const packages = providers({
    [A]: { 'v1.0.0': large([]), 'v2.0.0': large(['x.y']), 'v3.0.0': large(['z.y']) },
  });
  const versions = ['v1.0.0', 'v2.0.0', 'v3.0.0'];

  test('a run that reads more fails', async () => {
    const reader = new SourceReader(memorySource(packages));
    await reader.fetch(at('v1.0.0'), target);
    await reader.fetch(at('v2.0.0'), target);
    await expect(reader.fetch(at('v3.0.0'), target)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  test('a scan with a cache for each part does not', async () => {
    const reader = new SourceReader(memorySource(packages));
    for (const version of versions) {
      expect(await reader.withOwnCache().fetch(at(version), target)).toBeDefined();
    }
  });

  test('versions that share a list count once', async () => {
    const equal = Object.fromEntries(versions.map((version) => [version, large([])]));
    const reader = new SourceReader(memorySource(providers({ [A]: equal })));
    for (const version of versions) {
      expect(await reader.fetch(at(version), target)).toBeDefined();
    }
  });
});
