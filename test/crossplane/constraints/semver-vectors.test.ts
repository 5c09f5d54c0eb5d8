import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseConstraint } from '../../../src/crossplane/constraints/constraint.js';
import type { Dialect } from '../../../src/crossplane/constraints/dialects.js';
import {
  compareAsGo,
  formatVersion,
  parseVersion,
} from '../../../src/crossplane/constraints/version.js';

type Answers<T> = Readonly<Record<Dialect, T>>;

interface Vectors {
  readonly classes: readonly {
    readonly class: string;
    /** Tested versions, separated by spaces. */
    readonly versions: string;
    /** Admitted versions, or why the constraint is refused. */
    readonly constraints: readonly ({ readonly constraint: string } & Answers<
      string | { readonly error: string }
    >)[];
  }[];
  readonly versions: readonly ({ readonly version: string } & Answers<string | null>)[];
  readonly compare: readonly ({ readonly pair: readonly [string, string] } & Answers<
    number | null
  >)[];
}

const file = new URL('../../../fixtures/semver/vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vectors;

describe.each(['1.5.0', '3.4.0'] as const)('same results as semver %s', (dialect) => {
  test.each(vectors.classes)('$class', ({ versions, constraints }) => {
    const got = constraints.map(({ constraint }) => admitted(constraint, versions, dialect));
    expect(got).toEqual(constraints.map((row) => [row.constraint, row[dialect]]));
  });

  test('versions', () => {
    const got = vectors.versions.map(({ version }) => {
      const parsed = parseVersion(version, dialect);
      return [version, parsed === undefined ? null : formatVersion(parsed)];
    });
    expect(got).toEqual(vectors.versions.map((row) => [row.version, row[dialect]]));
  });

  test('order', () => {
    const got = vectors.compare.map(({ pair }) => {
      const [a, b] = pair.map((text) => parseVersion(text, dialect));
      return [pair, a && b ? compareAsGo(a, b) : null];
    });
    expect(got).toEqual(vectors.compare.map((row) => [row.pair, row[dialect]]));
  });
});

test('the test vectors distinguish the dialects often enough', () => {
  const rows = vectors.classes.flatMap(({ constraints }) => constraints);
  const apart = rows.filter((row) => JSON.stringify(row['1.5.0']) !== JSON.stringify(row['3.4.0']));
  expect(apart.length).toBeGreaterThan(100);
  expect(rows.length - apart.length).toBeGreaterThan(100);
});

function admitted(constraint: string, versions: string, dialect: Dialect) {
  const parsed = parseConstraint(constraint, dialect);
  if (parsed.invalid) return [constraint, { error: parsed.error }];
  const passing = versions.split(' ').filter((text) => {
    const version = parseVersion(text, dialect);
    return version !== undefined && parsed.admits(version);
  });
  return [constraint, passing.join(' ')];
}
