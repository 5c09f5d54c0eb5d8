import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { lockManifest, packagesWithoutDigest } from '../../../src/project/lockfile/lock-graph.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { digestOf, locked, lockfileOf, needs } from '../../support/lockfiles.js';

const explicit = { ...needs('Function x.io/a/fn *'), apiVersion: 'pkg.crossplane.io/v1' };
const set = lockfileOf([
  locked('x.io/a/cfg:v1.0.0', {
    kind: 'Configuration',
    requirements: [needs('x.io/a/p >=v1.0.0'), explicit, needs('x.io/a/p >=v1.0.0')],
  }),
  locked('x.io/a/fn:v0.1.0', { kind: 'Function' }),
  locked('x.io/a/p:v1.2.0'),
]);

function rows(version: string) {
  return lockManifest(set, targetFor(version)!, (each) => each.version)['packages'];
}

const fnRow = { name: 'a-fn', source: 'x.io/a/fn', version: 'v0.1.0', dependencies: [] };
const pRow = { name: 'a-p', source: 'x.io/a/p', version: 'v1.2.0', dependencies: [] };
const named = <T extends { name: string; source: string; version: string }>(row: T) => ({
  ...row,
  name: `${row.name}-${digestOf(`${row.source}:${row.version}`).slice(7, 19)}`,
});

test('from v1.19 on, rows have apiVersion and kind, and dependencies match dependsOn', () => {
  expect(rows('v1.19.0')).toEqual([
    { ...named(fnRow), apiVersion: 'pkg.crossplane.io/v1', kind: 'Function' },
    { ...named(pRow), apiVersion: 'pkg.crossplane.io/v1', kind: 'Provider' },
    {
      ...named({ name: 'a-cfg', source: 'x.io/a/cfg', version: 'v1.0.0' }),
      apiVersion: 'pkg.crossplane.io/v1',
      kind: 'Configuration',
      dependencies: [
        { package: 'x.io/a/p', type: 'Provider', constraints: '>=v1.0.0' },
        {
          package: 'x.io/a/fn',
          apiVersion: 'pkg.crossplane.io/v1',
          kind: 'Function',
          constraints: '*',
        },
        { package: 'x.io/a/p', type: 'Provider', constraints: '>=v1.0.0' },
      ],
    },
  ]);
});

test('from v2.4 on, rows are named after the revisions of new objects', () => {
  const names = (['v2.4.0', 'v2.3.5'] as const).map(
    (version) => (rows(version) as readonly { name: string }[])[0]!.name,
  );
  const hex = digestOf('x.io/a/fn:v0.1.0').slice('sha256:'.length);
  const hashed = createHash('sha256').update(`${hex}|1`).digest('hex').slice(0, 12);
  expect(names).toEqual([`a-fn-${hashed}`, `a-fn-${hex.slice(0, 12)}`]);
});

test('up to v1.18, rows and dependencies have a type', () => {
  const old = rows('v1.18.5') as readonly { type: string; dependencies: readonly object[] }[];
  expect(old.map((row) => row.type)).toEqual(['Function', 'Provider', 'Configuration']);
  expect(old[2]!.dependencies[1]).toEqual({
    package: 'x.io/a/fn',
    type: 'Function',
    constraints: '*',
  });
  expect(JSON.stringify(old)).not.toContain('apiVersion');
});

test('the Lock is named `lock` and has its rows at the top level', () => {
  const { packages: _, ...rest } = lockManifest(set, targetFor('v2.3.4')!, (each) => each.version);
  expect(rest).toEqual({
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'Lock',
    metadata: { name: 'lock' },
  });
});

test('a package without a digest has no row', () => {
  const without = lockfileOf([locked('x.io/a/p:v1.2.0', { digest: undefined })]);
  expect(packagesWithoutDigest(without).map(({ repository }) => repository)).toEqual(['x.io/a/p']);
  expect(packagesWithoutDigest(set)).toEqual([]);
});
