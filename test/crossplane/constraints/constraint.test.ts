import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  MAX_CONSTRAINT_LENGTH,
  parseConstraint,
} from '../../../src/crossplane/constraints/constraint.js';
import type { Dialect } from '../../../src/crossplane/constraints/dialects.js';
import { parseVersion } from '../../../src/crossplane/constraints/version.js';
import { anyConstraintText, comparatorText, versionText } from '../../support/constraints.js';

const DIALECTS: readonly Dialect[] = ['1.5.0', '3.4.0'];

test.each([
  { text: '*', version: '1.0.0-rc.1', gated: [false, false], open: [true, true], why: 'any' },
  {
    text: '>=1.0.0, <2.0.0',
    version: '1.5.0-rc.1',
    gated: [false, false],
    open: [true, true],
    why: 'in the middle',
  },
  {
    text: '>=1.0.0-0, <2.0.0',
    version: '1.5.0-rc.1',
    gated: [false, true],
    open: [true, true],
    why: '3.4.0 asks the group, 1.5.0 each comparator',
  },
  {
    text: '>=1.0.0',
    version: '1.0.0-rc.1',
    gated: [false, false],
    open: [false, false],
    why: 'below, gate or no gate',
  },
])('$version of $text: $why', ({ text, version, gated, open }) => {
  const admitted = (prereleases: boolean) =>
    DIALECTS.map((dialect) => admits(text, version, dialect, prereleases));
  expect(admitted(false)).toEqual(gated);
  expect(admitted(true)).toEqual(open);
});

test.each([
  { text: 'latest', errors: ['improper constraint: latest', 'improper constraint: latest'] },
  { text: '', errors: ['improper constraint: ', 'improper constraint: '] },
  { text: '>=1.0.0 <2.0.0', errors: ['improper constraint: >=1.0.0 <2.0.0', undefined] },
  {
    text: '>=1.0.0, oops || 1',
    errors: ['improper constraint:  oops ', 'improper constraint: >=1.0.0, oops '],
  },
  { text: '1.0.0-01', errors: [undefined, 'constraint parser error'] },
  { text: '>=1|2', errors: ['constraint Parser Error', 'constraint parser error'] },
])('$text is refused with the error of each dialect', ({ text, errors }) => {
  const got = DIALECTS.map((dialect) => {
    const parsed = parseConstraint(text, dialect);
    return parsed.invalid ? parsed.error : undefined;
  });
  expect(got).toEqual(errors);
});

test.each(DIALECTS)('%s: text beyond the limit is refused', (dialect) => {
  const fits = `>=1.0.0${' '.repeat(MAX_CONSTRAINT_LENGTH - 7)}`;
  expect(parseConstraint(fits, dialect).invalid).toBe(false);
  expect(parseConstraint(`${fits} `, dialect).invalid).toBe(true);
});

// With each of these, a backtracking parser of Go's expressions takes exponential or cubic time. At
// full length, a single one would exceed the time limit of the test.
test.each([
  { unit: '1 ', tail: '!' },
  { unit: '1,', tail: '' },
  { unit: '>= ', tail: '1' },
  { unit: ' ', tail: '!' },
  { unit: '1', tail: '.1.1.1 - 2' },
  { unit: '1.', tail: ' - 2' },
  { unit: '1-', tail: '..1 - 2' },
  { unit: '1-1+', tail: '.. - 2' },
  { unit: '1 - ', tail: '2' },
  { unit: '1 - 2 ', tail: '!' },
  { unit: 'v', tail: '1 - 2' },
  { unit: '||', tail: '1 - 2' },
  { unit: '- ', tail: '1' },
  { unit: 'x.x.x-x ', tail: '$' },
])('repeated `$unit` and `$tail` are parsed without backtracking', ({ unit, tail }) => {
  const text = unit.repeat((MAX_CONSTRAINT_LENGTH - tail.length) / unit.length) + tail;
  const version = parseVersion('1.2.3', '3.4.0')!;
  for (const dialect of DIALECTS) {
    for (let i = 0; i < 20; i++) {
      const parsed = parseConstraint(text, dialect);
      if (!parsed.invalid) parsed.admits(version);
    }
  }
});

test.each([
  { text: `>=1.0.0${' '.repeat(505)}`, error: undefined, why: '512 bytes' },
  {
    text: `>=1.0.0${' '.repeat(506)}`,
    error: 'constraint string is too long (max 512 bytes)',
    why: 'a byte more',
  },
  {
    text: `1.0.0-é${' '.repeat(505)}`,
    error: 'constraint string is too long (max 512 bytes)',
    why: 'bytes, not characters',
  },
  { text: Array(32).fill('1').join('||'), error: undefined, why: '32 groups' },
  {
    text: Array(33).fill('1').join('||'),
    error: 'too many constraint groups (max 32)',
    why: 'a group more',
  },
  {
    text: '>1.0\t"x',
    error: String.raw`improper constraint: ">1.0\t\"x"`,
    why: 'quoted as Go does',
  },
])('3.5.0 has limits that 3.4.0 lacks: $why', ({ text, error }) => {
  const parsed = parseConstraint(text, '3.5.0');
  expect(parsed.invalid ? parsed.error : undefined).toBe(error);
  const before = parseConstraint(text, '3.4.0');
  expect(before.invalid ? before.error : '').not.toMatch(/max|\\t/);
});

test('3.5.0 takes no version of more than 256 bytes', () => {
  const longest = `1.0.0+${'a'.repeat(250)}`;
  expect(parseVersion(longest, '3.5.0')).toBeDefined();
  expect(parseVersion(`${longest}a`, '3.5.0')).toBeUndefined();
  expect(parseVersion(`${longest}a`, '3.4.0')).toBeDefined();
});

test('any text is either invalid with an error or a usable constraint', () => {
  fc.assert(
    fc.property(
      fc.oneof(anyConstraintText, fc.string()),
      versionText,
      fc.constantFrom(...DIALECTS),
      (text, of, dialect) => {
        const parsed = parseConstraint(text, dialect);
        if (parsed.invalid) expect(parsed.error).not.toBe('');
        else expect(typeof parsed.admits(parseVersion(of, dialect)!)).toBe('boolean');
      },
    ),
  );
});

test('the generator creates enough valid and invalid constraints', () => {
  const valid = fc
    .sample(anyConstraintText, 2000)
    .filter((c) => !parseConstraint(c, '3.4.0').invalid);
  expect(valid.length).toBeGreaterThan(200);
  expect(valid.length).toBeLessThan(1800);
});

test('admitting prereleases never excludes a version or changes releases', () => {
  fc.assert(
    fc.property(
      fc
        .tuple(anyConstraintText, fc.constantFrom(...DIALECTS))
        .filter(([text, dialect]) => !parseConstraint(text, dialect).invalid),
      versionText,
      ([text, dialect], of) => {
        const gated = admits(text, of, dialect, false);
        const open = admits(text, of, dialect, true);
        if (of.includes('-')) expect(gated && !open).toBe(false);
        else expect(open).toBe(gated);
      },
    ),
  );
});

test('a comma means and, two bars mean or', () => {
  fc.assert(
    fc.property(
      ...([comparatorText, comparatorText, versionText, fc.constantFrom(...DIALECTS)] as const),
      (a, b, of, dialect) => {
        const [viaA, viaB] = [admits(a, of, dialect, true), admits(b, of, dialect, true)];
        expect(admits(`${a} || ${b}`, of, dialect, true)).toBe(viaA || viaB);
        expect(admits(`${a}, ${b}`, of, dialect, true)).toBe(viaA && viaB);
      },
    ),
  );
});

function admits(text: string, version: string, dialect: Dialect, prereleases = false): boolean {
  const parsed = parseConstraint(text, dialect);
  return !parsed.invalid && parsed.admits(parseVersion(version, dialect)!, { prereleases });
}
