import { expect, test, vi } from 'vitest';
import type { IndexPackage } from '../../../src/sources/index/index-file.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { refreshPackages, versionChanges } from '../../../src/sources/index/make-index.js';
import { digestOf } from '../../support/lockfiles.js';

const A = 'h.io/acme/a';
const NOW = '2026-11-18T00:00:00Z';
const version = (name: string, more: object = {}) => ({ digest: digestOf(name), ...more });
const held = (versions: IndexPackage['versions']): IndexPackage => ({ kind: 'Provider', versions });

async function refreshed(before: IndexPackage | undefined, now: IndexPackage) {
  const index = { repositories: async () => [A], package: async () => before };
  const sources = [memorySource({ packages: { [A]: now } })];
  const options = { sources, target: targetFor('v2.3.4')!, concurrency: 1, now: NOW };
  const [looked] = await refreshPackages(index, [A], options);
  return looked!.after!.versions;
}

test('a new version or one with another digest was first seen now', async () => {
  const before = held({
    'v1.0.0': version('one'),
    'v1.1.0': version('two', { firstSeen: '2026-10-01T00:00:00Z' }),
    'v1.2.0': version('three', { firstSeen: '2026-10-02T00:00:00Z' }),
  });
  const after = await refreshed(
    before,
    held({
      'v1.0.0': version('one', { created: '2026-01-01T00:00:00Z' }),
      'v1.1.0': version('two'),
      'v1.2.0': version('moved'),
      'v1.3.0': version('four'),
    }),
  );
  const seen = Object.entries(after).map(([tag, { firstSeen }]) => [tag, firstSeen]);
  expect(Object.fromEntries(seen)).toEqual({
    'v1.0.0': undefined,
    'v1.1.0': '2026-10-01T00:00:00Z',
    'v1.2.0': NOW,
    'v1.3.0': NOW,
  });
  expect(after['v1.0.0']!.created).toBe('2026-01-01T00:00:00Z');
});

test('a package that is new to the index has no first-seen times', async () => {
  const after = await refreshed(undefined, held({ 'v1.0.0': version('one') }));
  expect(after['v1.0.0']!.firstSeen).toBeUndefined();
});

test('first-seen times of an index as a source count only for new packages', async () => {
  const elsewhere = held({ 'v1.0.0': version('one', { firstSeen: '2026-09-01T00:00:00Z' }) });
  expect(await refreshed(undefined, elsewhere)).toEqual(elsewhere.versions);
  const before = held({ 'v1.0.0': version('one') });
  expect(await refreshed(before, elsewhere)).toEqual(before.versions);
});

test('an index without dates causes no wrong differences', () => {
  const dated = held({ 'v1.0.0': version('one', { created: '2026-01-01T00:00:00Z' }) });
  const undated = held({ 'v1.0.0': version('one') });
  expect(versionChanges(undated, dated).incorrect).toEqual([]);
  const other = held({ 'v1.0.0': version('one', { created: '2026-02-01T00:00:00Z' }) });
  expect(versionChanges(other, dated).incorrect).toEqual(['v1.0.0']);
});

/** Compares two states with `count` tags. Counts reads of versions and steps of searches. */
function scanned(count: number) {
  let steps = 0;
  const counted = (versions: IndexPackage['versions']) =>
    held(
      new Proxy(versions, {
        get: (target, name, receiver) => ((steps += 1), Reflect.get(target, name, receiver)),
      }),
    );
  const { includes } = Array.prototype;
  const spy = vi.spyOn(Array.prototype, 'includes').mockImplementation(function (
    this: unknown[],
    item: unknown,
  ) {
    steps += this.length;
    return includes.call(this, item);
  });
  try {
    const tags = Array.from({ length: count }, (_, n) => `v1.${n}.0`);
    const of = (names: readonly string[], more: object) =>
      counted(Object.fromEntries(names.map((name) => [name, version(name, more)])));
    const before = of(tags.slice(0, -10), {});
    const after = of(tags.slice(10), { created: NOW });
    const changes = versionChanges(before, after);
    return { steps, changes: Object.values(changes).map(({ length }) => length) };
  } finally {
    spy.mockRestore();
  }
}

test('comparing versions takes linear time', () => {
  const [few, many] = [scanned(100), scanned(1000)];
  expect([few.changes, many.changes]).toEqual([
    [10, 10, 0, 0],
    [10, 10, 0, 0],
  ]);
  expect(few.steps).toBeGreaterThanOrEqual(100);
  expect(many.steps).toBeLessThan(20 * few.steps);
});
