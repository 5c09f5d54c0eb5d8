import { describe, expect, test } from 'vitest';
import { lockGraph } from '../../../src/project/lockfile/lock-graph.js';
import type { LockedPackage } from '../../../src/project/lockfile/lockfile.js';
import type { OwnedKind } from '../../../src/crossplane/packages/owned-objects.js';
import { locked, needs } from '../../support/lockfiles.js';

const CRD = 'things.acme.dev';
const asker = locked('x.io/p/a:v1.0.0', {
  requirements: [{ requires: 'crd', demand: { crd: CRD }, text: CRD, line: undefined }],
});
const owner = (name: string, kind: OwnedKind) =>
  locked(`x.io/p/${name}:v1.0.0`, { owns: [{ kind, name: CRD }] });

function edges(packages: readonly LockedPackage[], installed?: (named: string) => string) {
  const graph = lockGraph({ packages }, installed);
  return packages.flatMap(({ repository }) =>
    graph
      .requirementsOf(repository)
      .map(({ from, to, constraint }) => [from.name, to.name, constraint]),
  );
}

describe('a package that requires a CRD by name requires its owner', () => {
  test.each(['CRD', 'XRD', 'claim', 'MRD'] as const)('as a %s', (kind) => {
    expect(edges([asker, owner('b', kind)])).toEqual([['p-a', 'p-b', CRD]]);
  });

  test('but not the owner of another object with the same name', () => {
    const others = [owner('b', 'Composition'), owner('c', 'CRD'), owner('d', 'Operation')];
    expect(edges([asker, ...others])).toEqual([['p-a', 'p-c', CRD]]);
  });
});

test('a package that requires any CRD of a group requires another package that owns one', () => {
  const demand = { group: 'acme.dev', version: undefined, kind: '*' };
  const text = '*.acme.dev';
  const asking = locked('x.io/p/a:v1.0.0', {
    requirements: [{ requires: 'crd', demand, text, line: undefined }],
    owns: [{ kind: 'CRD', name: 'own.acme.dev' }],
  });
  const below = locked('x.io/p/b:v1.0.0', { owns: [{ kind: 'CRD', name: 'x.below.acme.dev' }] });
  expect(edges([asking, below, owner('c', 'CRD')])).toEqual([['p-a', 'p-c', text]]);
});

test('a requirement on a replaced package leads to its replacement', () => {
  const packages = [
    locked('x.io/p/a:v1.0.0', { requirements: [needs('x.io/p/old >=v1.0.0')] }),
    locked('x.io/p/new:v1.0.0'),
  ];
  expect(edges(packages)).toEqual([]);
  expect(edges(packages, (named) => named.replace('old', 'new'))).toEqual([
    ['p-a', 'p-new', '>=v1.0.0'],
  ]);
});
