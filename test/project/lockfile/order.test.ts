import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dependencyCycles, inApplyOrder } from '../../../src/project/lockfile/lock-graph.js';
import { locked, needs } from '../../support/lockfiles.js';

/** Returns packages: `a: b c` is a package that depends on two others. */
function graph(...lines: readonly string[]) {
  return lines.map((line) => {
    const [name, ...rest] = line.split(/[: ]+/).filter(Boolean);
    const requirements = rest.map((other) => needs(`x.io/p/${other} *`));
    return locked(`x.io/p/${name}:v1.0.0`, { requirements });
  });
}

function order(...lines: readonly string[]): string {
  return inApplyOrder(graph(...lines))
    .map(({ repository }) => repository.slice('x.io/p/'.length))
    .join(' ');
}

describe('inApplyOrder', () => {
  test.each([
    { lines: ['c:', 'a:', 'b:'], want: 'a b c', why: 'nothing but names to go by' },
    { lines: ['a: c', 'b:', 'c:'], want: 'b c a', why: 'a dependency goes first' },
    { lines: ['a: b c', 'b: d', 'c: d', 'd:'], want: 'd b c a', why: 'a diamond' },
    { lines: ['a: z', 'b:'], want: 'a b', why: 'what is not locked does not count' },
    { lines: ['a: c', 'b: a', 'c: b', 'd: a', '0: d'], want: 'a b c d 0', why: 'a cycle together' },
    { lines: ['a: a', '0: a'], want: 'a 0', why: 'a package that needs itself' },
    {
      lines: ['b: y', 'y: b', 'a: x', 'x: a b'],
      want: 'b y a x',
      why: 'a cycle that needs a cycle',
    },
  ])('$lines → $want: $why', ({ lines, want }) => {
    expect(order(...lines)).toBe(want);
  });

  test('the owner of a CRD precedes the package that requires the CRD by name', () => {
    const owner = locked('x.io/p/z:v1.0.0', { owns: [{ kind: 'CRD', name: 'things.acme.dev' }] });
    const asker = locked('x.io/p/a:v1.0.0', {
      requirements: [
        {
          requires: 'crd',
          demand: { crd: 'things.acme.dev' },
          text: 'things.acme.dev',
          line: undefined,
        },
      ],
    });
    expect(inApplyOrder([asker, owner])).toEqual([owner, asker]);
  });

  test('without a cycle, every dependency precedes its dependents for any input order', () => {
    const edges = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 20 });
    fc.assert(
      fc.property(edges, fc.array(fc.nat(100), { minLength: 10, maxLength: 10 }), (edges, salt) => {
        const needsOf = (n: number) => edges.filter(([from, to]) => from === n && to > n);
        const lines = salt.map((_, n) =>
          `p${n}: ${needsOf(n)
            .map(([, to]) => `p${to}`)
            .join(' ')}`.trim(),
        );
        const want = order(...lines);
        const shuffled = lines
          .map((line, n) => ({ line, key: salt[n]! }))
          .sort((a, b) => a.key - b.key);
        expect(order(...shuffled.map(({ line }) => line))).toBe(want);
        const place = want.split(' ');
        for (const [from, to] of edges.filter(([from, to]) => to > from)) {
          expect(place.indexOf(`p${to}`)).toBeLessThan(place.indexOf(`p${from}`));
        }
      }),
    );
  });

  test('a chain of ten thousand packages is supported', () => {
    const chain = Array.from({ length: 10_000 }, (_, n) => `${n}: ${n + 1}`);
    expect(dependencyCycles(graph(...chain))).toEqual([]);
  });
});

describe('dependencyCycles', () => {
  test.each([
    { lines: ['a: b', 'b:'], want: [], why: 'none' },
    { lines: ['a: a'], want: [['x.io/p/a']], why: 'itself' },
    { lines: ['c: a', 'a: b', 'b: c'], want: [['x.io/p/a', 'x.io/p/b', 'x.io/p/c']], why: 'three' },
  ])('$lines: $why', ({ lines, want }) => {
    expect(dependencyCycles(graph(...lines))).toEqual(want);
  });
});
