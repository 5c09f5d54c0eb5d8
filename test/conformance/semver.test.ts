import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseConstraint } from '../../src/crossplane/constraints/constraint.js';
import type { Dialect } from '../../src/crossplane/constraints/dialects.js';
import {
  compareAsGo,
  compareVersions,
  formatVersion,
  parseVersion,
} from '../../src/crossplane/constraints/version.js';
import { shared } from './shared.js';

/** The answers of the Go libraries, one character per version: see `meta.format` in the file. */
interface Vectors {
  readonly constraints: readonly ConstraintVector[];
  readonly versions: readonly { s: string; v1: VersionAnswer; v3: VersionAnswer }[];
  readonly compare: readonly [a: string, b: string, v3: number | null, v1: number | null][];
  readonly sort: readonly { in: string[]; sorted: string[]; stable?: string[] }[];
}

interface ConstraintVector {
  readonly c: string;
  readonly k: string;
  readonly v: readonly string[];
  readonly r1: string;
  readonly r3: string;
  readonly e1?: string;
  readonly e3?: string;
}

interface VersionAnswer {
  readonly ok: boolean;
  readonly str?: string;
}

const vectors = JSON.parse(
  readFileSync(shared('data', 'semver', 'vectors.json'), 'utf8'),
) as Vectors;
const DIALECTS: readonly { dialect: Dialect; answers: 'r1' | 'r3'; error: 'e1' | 'e3' }[] = [
  { dialect: '1.5.0', answers: 'r1', error: 'e1' },
  { dialect: '3.4.0', answers: 'r3', error: 'e3' },
];

function answer(constraint: string, version: string, dialect: Dialect): string {
  const parsedVersion = parseVersion(version, dialect);
  if (parsedVersion === undefined) return 'x';
  const parsed = parseConstraint(constraint, dialect);
  if (parsed.invalid) return '?';
  return parsed.admits(parsedVersion) ? '1' : '0';
}

test.each(DIALECTS)(
  '$dialect: every constraint means what Go says',
  ({ dialect, answers, error }) => {
    const counts = new Map<string, { pairs: number; constraints: number }>();
    const wrong: string[] = [];
    for (const vector of vectors.constraints) {
      const count = counts.get(vector.k) ?? { pairs: 0, constraints: 0 };
      counts.set(vector.k, count);
      count.constraints += 1;
      count.pairs += vector.v.length;
      const parsed = parseConstraint(vector.c, dialect);
      const wantError = vector[error];
      if ((parsed.invalid ? parsed.error : undefined) !== wantError) {
        wrong.push(`${JSON.stringify(vector.c)}: error ${wantError ?? 'none'}`);
      }
      const got = vector.v.map((version) => answer(vector.c, version, dialect)).join('');
      if (got !== vector[answers])
        wrong.push(
          `${JSON.stringify(vector.c)} on ${vector.v.join(' ')}\n got  ${got}\n want ${vector[answers]}`,
        );
    }
    const rows = [...counts].map(
      ([k, { constraints, pairs }]) => `  ${k}: ${constraints} constraints, ${pairs} pairs`,
    );
    process.stdout.write(`semver ${dialect}, agreeing with Go:\n${rows.join('\n')}\n`);
    expect(wrong).toEqual([]);
  },
);

test.each(DIALECTS)('$dialect: every version is read as Go reads it', ({ dialect }) => {
  const wrong = vectors.versions.filter(({ s, v1, v3 }) => {
    const want = dialect === '1.5.0' ? v1 : v3;
    const got = parseVersion(s, dialect);
    return (got !== undefined) !== want.ok || (got && want.str && formatVersion(got) !== want.str);
  });
  process.stdout.write(`semver ${dialect}: ${vectors.versions.length} versions read\n`);
  expect(wrong).toEqual([]);
});

test.each(DIALECTS)('$dialect: every pair compares as in Go', ({ dialect }) => {
  const wrong = vectors.compare.filter(([a, b, v3, v1]) => {
    const x = parseVersion(a, dialect);
    const y = parseVersion(b, dialect);
    const got = x && y ? compareAsGo(x, y) : null;
    return got !== (dialect === '1.5.0' ? v1 : v3);
  });
  process.stdout.write(`semver ${dialect}: ${vectors.compare.length} pairs compared\n`);
  expect(wrong).toEqual([]);
});

test('tags sort as in Go, up to ties', () => {
  for (const vector of vectors.sort) {
    const sorted = vector.in
      .flatMap((tag) => parseVersion(tag, '3.4.0') ?? [])
      .sort(compareVersions)
      .map(({ raw }) => raw);
    expect(sorted).toEqual(vector.stable ?? vector.sorted);
  }
  process.stdout.write(`semver: ${vectors.sort.length} tag lists sorted\n`);
});
