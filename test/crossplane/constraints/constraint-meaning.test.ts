import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  adviceFor,
  meaningOf,
  surprises,
  whyNot,
} from '../../../src/crossplane/constraints/constraint-meaning.js';
import {
  parseConstraint,
  type Constraint,
} from '../../../src/crossplane/constraints/constraint.js';
import type { Dialect } from '../../../src/crossplane/constraints/dialects.js';
import { parseVersion } from '../../../src/crossplane/constraints/version.js';
import { constraintText, releaseText, versionText } from '../../support/constraints.js';

const DIALECTS: readonly Dialect[] = ['1.5.0', '3.4.0'];

test.each([
  { text: '1.2', means: ['=1.2.0', '>=1.2.0, <1.3.0'] },
  { text: '<2', means: ['<3.0.0', '<2.0.0'] },
  { text: '<=1.2', means: ['<=1.2.0', '<1.3.0'] },
  { text: '<1.2.x', means: ['major <= 1, minor <= 2', '<1.2.0'] },
  { text: '>1', means: ['>1.0.0', '>=2.0.0'] },
  { text: '^0.2.3', means: ['>=0.2.3, <1.0.0', '>=0.2.3, <0.3.0'] },
  { text: '^0.0.3', means: ['>=0.0.3, <1.0.0', '>=0.0.3, <0.0.4'] },
  { text: '^*', means: ['>=0.0.0, <1.0.0', '>=0.0.0, <0.0.1'] },
  { text: '~0.0', means: ['>=0.0.0', '>=0.0.0, <0.1.0'] },
  { text: '~1 || v3.x', means: ['>=1.0.0, <2.0.0 || >=3.0.0, <4.0.0'] },
  { text: '!=1.2-0', means: ['!=1.2.0-0'] },
  { text: '!=1.2.x-0', means: ['!=1.2.x', '!=1.2.0-0'] },
  { text: '!=*', means: ['!=0.0.x', '!=0.0.0'] },
])('$text means $means', ({ text, means }) => {
  expect([...new Set(DIALECTS.map((dialect) => meaningOf(valid(text, dialect))))]).toEqual(means);
});

test('the written meaning admits the same releases in both dialects', () => {
  fc.assert(
    fc.property(
      constraintText,
      releaseText,
      fc.constantFrom(...DIALECTS),
      (text, release, dialect) => {
        const constraint = parseConstraint(text, dialect);
        fc.pre(!constraint.invalid);
        const meaning = meaningOf(constraint);
        fc.pre(!meaning.includes('major'));
        const want = constraint.admits(parseVersion(release, dialect)!);
        for (const reader of DIALECTS) {
          expect(valid(meaning, reader).admits(parseVersion(release, reader)!)).toBe(want);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('every version that is not admitted has a reason, and its fix works', () => {
  fc.assert(
    fc.property(constraintText, versionText, fc.constantFrom(...DIALECTS), (text, of, dialect) => {
      const constraint = parseConstraint(text, dialect);
      fc.pre(!constraint.invalid);
      const version = parseVersion(of, dialect)!;
      const reason = whyNot(constraint, version);
      expect(reason === undefined).toBe(constraint.admits(version));
      const cure = /; write `(.*)`$/.exec(reason ?? '')?.[1];
      if (cure !== undefined) expect(valid(cure, dialect).admits(version)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test.each([
  { text: '>=v1.2.0', version: 'v1.3.0-rc.1', dialect: '3.4.0', says: 'write `>=v1.2.0-0`' },
  { text: '>=v1.2.0', version: 'v1.1.0', dialect: '3.4.0', says: 'below `>=v1.2.0`' },
  { text: '<v2.0.0', version: 'v2.0.0', dialect: '3.4.0', says: 'not below `<v2.0.0`' },
  { text: 'v1.2', version: 'v1.2.5', dialect: '1.5.0', says: '(`>=1.2.0, <1.3.0` from v2.3 on)' },
  { text: '^0.2.3', version: '0.9.0', dialect: '3.4.0', says: '(`>=0.2.3, <1.0.0` before v2.3)' },
  { text: '*', version: '1.0.0-rc.1', dialect: '1.5.0', says: 'write `>=0.0.0-0`' },
  { text: '<1.2.x', version: '0.9.0', dialect: '1.5.0', says: 'outside `<1.2.x`' },
  { text: '!=1.2.3', version: '1.2.3', dialect: '3.4.0', says: 'ruled out by `!=1.2.3`' },
] as const)('$version of $text on $dialect: $says', ({ text, version, dialect, says }) => {
  expect(whyNot(valid(text, dialect), parseVersion(version, dialect)!)).toContain(says);
});

test.each([
  { text: '>=1.0.0, <2.0.0', dialect: '1.5.0', says: [], why: 'plain' },
  { text: '<2', dialect: '1.5.0', says: ['<3.0.0'], why: 'a wildcard as upper bound' },
  { text: '<2', dialect: '3.4.0', says: ['before v2.3'], why: 'the same, told to the newer' },
  { text: '~0.0.0', dialect: '3.4.0', says: ['no upper end'], why: 'a special case of both' },
  { text: '>=1.0.0-0, <2.0.0', dialect: '1.5.0', says: ['<2.0.0-0'], why: 'a half-open gate' },
  { text: '>=1.0.0-0, <2.0.0', dialect: '3.4.0', says: ['<2.0.0-0'], why: 'a gate too open' },
  { text: '!=1.0.0', dialect: '1.5.0', says: ['every prerelease'], why: 'no gate at all' },
] as const)('$text surprises on $dialect $says: $why', ({ text, dialect, says }) => {
  const told = surprises(valid(text, dialect));
  expect(told).toHaveLength(says.length);
  for (const [i, part] of says.entries()) expect(told[i]).toContain(part);
});

test.each([
  { text: '>=1.0.0 <2.0.0 || 3', dialect: '1.5.0', write: '>=1.0.0, <2.0.0 || 3' },
  { text: '==1.2.3', dialect: '3.4.0', write: '=1.2.3' },
  { text: '>=V1.2.3', dialect: '3.4.0', write: '>=v1.2.3' },
  { text: '>=1.0.0 && <2.0.0', dialect: '3.4.0', write: '>=1.0.0 , <2.0.0' },
  { text: '>=1.0.0,', dialect: '3.4.0', write: '>=1.0.0' },
  { text: '1.0.0-rc.01', dialect: '3.4.0', write: '1.0.0-rc.1' },
] as const)('for $text on $dialect the advice is to write $write', ({ text, dialect, write }) => {
  const parsed = parseConstraint(text, dialect);
  if (!parsed.invalid) throw new Error(`${text} is valid`);
  expect(adviceFor(parsed)).toContain(`\`${write}\``);
  expect(parseConstraint(write, dialect).invalid).toBe(false);
});

function valid(text: string, dialect: Dialect): Constraint {
  const parsed = parseConstraint(text, dialect);
  if (parsed.invalid) throw new Error(parsed.error);
  return parsed;
}
