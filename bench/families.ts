import type { Instance, Wants } from '../test/support/depsuite.js';
import { random } from './random.js';

type Ranges = Wants[string];

/** Builds an instance; by default, the root requires every package. */
class Draft {
  readonly order: Record<string, string[]> = {};
  readonly packages: Record<string, Record<string, Record<string, Ranges>>> = {};
  readonly root: Record<string, Ranges> = {};
  readonly owns: Record<string, Record<string, string[]>> = {};

  package(name: string, versions: number, asked = true): void {
    this.order[name] = Array.from({ length: versions }, (_, i) => String(i));
    this.packages[name] = Object.fromEntries(this.order[name].map((version) => [version, {}]));
    if (asked) this.root[name] = [[0, versions - 1]];
  }

  wants(name: string, version: number, on: string, ranges: Ranges): void {
    this.packages[name]![version]![on] = ranges;
  }

  own(name: string, version: number, key: string): void {
    ((this.owns[name] ??= {})[version] ??= []).push(key);
  }

  done(id: string): Instance {
    const { order, packages, root, owns } = this;
    return { id, order, packages, root, owns };
  }
}

/** Two chains of n packages with n versions that never agree on their last package. */
export function diamond(n: number): Instance {
  const draft = new Draft();
  draft.package('end', 2, false);
  for (const side of ['left', 'right']) {
    for (let i = 0; i < n; i++) {
      draft.package(`${side}${i}`, n, i === 0);
      for (let v = 0; v < n; v++) {
        const last = i === n - 1;
        const end: Ranges = side === 'left' ? [[0, 0]] : [[1, 1]];
        draft.wants(`${side}${i}`, v, last ? 'end' : `${side}${i + 1}`, last ? end : [[0, v]]);
      }
    }
  }
  return draft.done(`diamond-${n}`);
}

/**
 * n packages with 20 versions are decided before the one that accepts only their oldest versions.
 */
export function lateConflict(n: number): Instance {
  const draft = new Draft();
  draft.package('base', 2, false);
  for (let i = 0; i < n; i++) {
    draft.package(`p${i}`, 20);
    for (let v = 0; v < 20; v++) draft.wants(`p${i}`, v, 'base', v === 0 ? [[0, 1]] : [[1, 1]]);
  }
  draft.package('last', 1);
  draft.wants('last', 0, 'base', [[0, 0]]);
  return draft.done(`late-conflict-${n}`);
}

/** n + 1 packages, each version of which owns one of n CRDs. */
export function crowd(n: number): Instance {
  const draft = new Draft();
  for (let i = 0; i <= n; i++) {
    draft.package(`p${i}`, n);
    for (let v = 0; v < n; v++) draft.own(`p${i}`, v, `crd${v}`);
  }
  return draft.done(`crowd-${n}`);
}

/** A square of n × n packages with n versions that differ in each row and column; half is given. */
export function latinSquare(n: number): Instance {
  const draft = new Draft();
  const next = random(n);
  for (let row = 0; row < n; row++) {
    for (let column = 0; column < n; column++) {
      const name = `r${row}c${column}`;
      draft.package(name, n);
      const value = (row * 2 + column) % n;
      if (n % 2 === 1 && next() < 0.5) draft.root[name] = [[value, value]];
      for (let v = 0; v < n; v++) {
        draft.own(name, v, `row${row}-${v}`);
        draft.own(name, v, `column${column}-${v}`);
      }
    }
  }
  return draft.done(`latin-square-${n}`);
}

/** n packages with 300 versions that each pin a partner, which another package blocks. */
export function lockstep(n: number): Instance {
  const draft = new Draft();
  for (let i = 0; i < n; i++) {
    draft.package(`tool${i}`, 300);
    draft.package(`core${i}`, 300, false);
    draft.package(`cap${i}`, 1);
    for (let v = 0; v < 300; v++) draft.wants(`tool${i}`, v, `core${i}`, [[v, v]]);
    draft.wants(`cap${i}`, 0, `core${i}`, [[0, 20]]);
  }
  return draft.done(`lockstep-${n}`);
}

/** n packages with 6 versions; of random pairs, a third of all combinations are forbidden. */
export function randomPairs(n: number): Instance {
  const draft = new Draft();
  const next = random(n);
  for (let i = 0; i < n; i++) draft.package(`p${i}`, 6);
  for (let k = 0; k < n * 2.6; k++) {
    const [a, b] = [Math.floor(next() * n), Math.floor(next() * n)].sort((x, y) => x - y);
    if (a === b) continue;
    for (let v = 0; v < 6; v++) {
      const left = [0, 1, 2, 3, 4, 5].filter(() => next() > 0.36);
      draft.wants(
        `p${a}`,
        v,
        `p${b}`,
        left.map((i) => [i, i] as const),
      );
    }
  }
  return draft.done(`random-pairs-${n}`);
}

export const FAMILIES: readonly {
  readonly make: (n: number) => Instance;
  readonly sizes: readonly number[];
}[] = [
  { make: diamond, sizes: [8, 16, 32] },
  { make: lateConflict, sizes: [25, 50, 100, 200] },
  { make: crowd, sizes: [5, 6, 7, 8, 9] },
  { make: latinSquare, sizes: [7, 9, 11] },
  { make: lockstep, sizes: [1, 2, 4, 8] },
  { make: randomPairs, sizes: [15, 30, 60] },
];
