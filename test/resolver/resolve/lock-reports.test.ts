import { describe, expect, test } from 'vitest';
import type { LockedPackage } from '../../../src/project/lockfile/lockfile.js';
import { lockTree, type TreeNode } from '../../../src/project/lockfile/lock-graph.js';
import { ownersOf, whyLocked } from '../../../src/features/why/why.js';
import { locked, lockfileOf, needs } from '../../support/lockfiles.js';

const at = (name: string, parts: Partial<LockedPackage> = {}) =>
  locked(`xpkg.example.org/acme/${name}:v1.0.0`, parts);
const on = (...names: string[]) => names.map((name) => needs(`xpkg.example.org/acme/${name} *`));
const short = ({ repository }: LockedPackage) => repository.slice(-1);

const nameIn = (layer: number, i: number) => `l${layer}-${i}`;

function outline({ locked: it, repeated, requires }: TreeNode): string {
  const below = requires.map(outline).join(' ');
  return `${short(it)}${repeated ? '*' : ''}${below === '' ? '' : `(${below})`}`;
}

function paths(packages: readonly LockedPackage[], to: LockedPackage): string[] {
  const why = whyLocked(lockfileOf(packages), to);
  return why.paths.map((path) => [...path.map(({ from }) => short(from)), short(to)].join(''));
}

describe('trees and paths', () => {
  const c = at('c');
  const b = at('b', { requirements: on('c') });
  const a = at('a', { direct: true, requirements: on('b', 'c') });

  test.each([
    { why: 'a package is shown in full once', packages: [a, b, c], tree: ['a(b(c) c*)'] },
    {
      why: 'a required package is also a root of the tree if the user requires it',
      packages: [a, { ...b, direct: true }, c],
      tree: ['a(b(c) c*)', 'b*'],
    },
    {
      why: 'a dependency of a local package is a root of the tree',
      packages: [b, c],
      tree: ['b(c)'],
    },
    {
      why: 'a cycle ends at its first package',
      packages: [at('a', { requirements: on('b') }), at('b', { requirements: on('a') })],
      tree: ['a(b(a*))'],
    },
    {
      why: 'a required package that is not installed was replaced',
      packages: [at('a', { direct: true, requirements: on('z') }), b, c],
      tree: ['a', 'b(c)'],
    },
    {
      why: 'a required API leads to its owner',
      packages: [
        at('a', {
          direct: true,
          requirements: [
            { requires: 'crd', demand: { crd: 'xs.acme.io' }, text: 'xs.acme.io', line: undefined },
          ],
        }),
        at('b', { owns: [{ kind: 'CRD', name: 'xs.acme.io' }] }),
      ],
      tree: ['a(b)'],
    },
  ])('$why', ({ packages, tree }) => {
    expect(lockTree(lockfileOf(packages)).map(outline)).toEqual(tree);
  });

  test('lists every path, the shortest first', () => {
    expect(paths([a, b, c], c)).toEqual(['ac', 'abc']);
    expect(paths([a, b, c], a)).toEqual(['a']);
    expect(paths([a, { ...b, direct: true }, c], c)).toEqual(['ac', 'bc', 'abc']);
  });

  test('a path contains a cycle at most once', () => {
    const x = at('x', { direct: true, requirements: on('y') });
    const y = at('y', { requirements: on('x', 'z') });
    const z = at('z');
    expect(paths([x, y, z], z)).toEqual(['xyz']);
  });

  test('limits the number of paths and says so', () => {
    const layers = Array.from({ length: 12 }, (_, layer) =>
      [0, 1, 2].map((i) =>
        at(nameIn(layer, i), {
          direct: layer === 0,
          requirements: layer === 11 ? [] : on(...[0, 1, 2].map((j) => nameIn(layer + 1, j))),
        }),
      ),
    );
    const why = whyLocked(lockfileOf(layers.flat()), layers[11]![0]!);
    expect(why.more).toBe(true);
    expect(why.paths.length).toBeGreaterThan(0);
  });
});

test('finds the owner of a CRD and the kind as which it owns it', () => {
  const owner = at('a', { owns: [{ kind: 'claim', name: 'xs.acme.io' }] });
  const lockfile = lockfileOf([owner, at('b')]);
  expect(ownersOf(lockfile, 'xs.acme.io')).toEqual([
    { locked: owner, owned: { kind: 'claim', name: 'xs.acme.io' } },
  ]);
  expect(ownersOf(lockfile, 'ys.acme.io')).toEqual([]);
});
