import { expect, test } from 'vitest';
import { lockManifest } from '../../src/project/lockfile/lock-graph.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { locked, lockfileOf } from '../support/lockfiles.js';

const leaf = lockfileOf([locked('xpkg.io/a/p:v1.0.0')]);

test.each([
  { version: 'v1.18.0', keys: ['name', 'type', 'source', 'version', 'dependencies'] },
  { version: 'v1.20.0', keys: ['name', 'apiVersion', 'kind', 'source', 'version', 'dependencies'] },
])('on $version a leaf has $keys', ({ version, keys }) => {
  const lock = lockManifest(leaf, targetFor(version)!, (each) => each.version);
  expect(Object.keys(lock)).toEqual(['apiVersion', 'kind', 'metadata', 'packages']);
  expect(lock['metadata']).toEqual({ name: 'lock' });
  const [row] = lock['packages'] as [Record<string, unknown>];
  expect(Object.keys(row)).toEqual(keys);
  expect(row['dependencies']).toEqual([]);
});
