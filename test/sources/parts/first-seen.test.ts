import { expect, test } from 'vitest';
import type { IndexPackage } from '../../../src/model/index-file.js';
import { targetFor } from '../../../src/model/target/target.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { refresh, versionChanges } from '../../../src/sources/parts/refresh.js';
import { digestOf } from '../../support/lockfiles.js';

const A = 'h.io/acme/a';
const NOW = '2026-11-18T00:00:00Z';
const version = (name: string, more: object = {}) => ({ digest: digestOf(name), ...more });
const held = (versions: IndexPackage['versions']): IndexPackage => ({ kind: 'Provider', versions });

async function refreshed(before: IndexPackage | undefined, now: IndexPackage) {
  const index = { repositories: async () => [A], package: async () => before };
  const sources = [memorySource({ packages: { [A]: now } })];
  const options = { sources, target: targetFor('v2.3.4')!, concurrency: 1, now: NOW };
  const [looked] = await refresh(index, [A], options);
  return looked!.after!.versions;
}

test('a version that is new, or another image than before, was first seen now', async () => {
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

test('of a package that is new to the index it is not known since when versions are out', async () => {
  const after = await refreshed(undefined, held({ 'v1.0.0': version('one') }));
  expect(after['v1.0.0']).not.toHaveProperty('firstSeen');
});

test('of a source that is an index itself, what it saw counts for packages that are new alone', async () => {
  const elsewhere = held({ 'v1.0.0': version('one', { firstSeen: '2026-09-01T00:00:00Z' }) });
  expect(await refreshed(undefined, elsewhere)).toEqual(elsewhere.versions);
  const before = held({ 'v1.0.0': version('one') });
  expect(await refreshed(before, elsewhere)).toEqual(before.versions);
});

test('an index from before there were dates says nothing untrue', () => {
  const dated = held({ 'v1.0.0': version('one', { created: '2026-01-01T00:00:00Z' }) });
  const undated = held({ 'v1.0.0': version('one') });
  expect(versionChanges(undated, dated).told).toEqual([]);
  const other = held({ 'v1.0.0': version('one', { created: '2026-02-01T00:00:00Z' }) });
  expect(versionChanges(other, dated).told).toEqual(['v1.0.0']);
});
