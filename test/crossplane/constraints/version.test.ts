import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Dialect } from '../../../src/crossplane/constraints/dialects.js';
import {
  compareAsGo,
  compareVersions,
  exactTag,
  formatVersion,
  isIncomplete,
  parseVersion,
  precedenceKey,
  type Version,
} from '../../../src/crossplane/constraints/version.js';

const BOTH: readonly Dialect[] = ['1.5.0', '3.4.0'];
const NEW: readonly Dialect[] = ['3.4.0'];
const OLD: readonly Dialect[] = ['1.5.0'];

test.each([
  { text: 'v1.2.3', by: BOTH, why: 'a leading v is spelling' },
  { text: '1', by: BOTH, why: 'missing segments are 0' },
  { text: '01.002.3', by: BOTH, why: 'segments may be zero-padded' },
  { text: '20240101', by: BOTH, why: 'a date is a major version' },
  { text: '1.2-rc.1', by: BOTH, why: 'a prerelease may follow any segment' },
  { text: '1.0.0-rc.01', by: OLD, why: '3.4.0 refuses zero-padded prerelease numbers' },
  { text: '1.0.0-0a', by: BOTH, why: 'a word may begin with 0' },
  { text: '1.0.0-0', by: BOTH, why: 'a lone 0 is not padded' },
  { text: '9223372036854775807.0.0', by: BOTH, why: 'the largest int64' },
  { text: '1.9223372036854775808.0', by: NEW, why: '1.5.0 stops at int64' },
  { text: '1.0.18446744073709551615', by: NEW, why: 'the largest uint64' },
  { text: '18446744073709551616', by: [], why: 'beyond uint64' },
  { text: '0000000000000000000000000007', by: BOTH, why: 'padding does not count as size' },
  { text: 'V1.2.3', by: [], why: 'the v is lower case' },
  { text: ' 1.2.3', by: [], why: 'blanks are not trimmed' },
  { text: '1.2.3\n', by: [], why: 'nor is a line end' },
  { text: '1.2.3.4', by: [], why: 'three segments at most' },
  { text: '1.2.3-', by: [], why: 'an empty prerelease' },
  { text: '1.2.3-a..b', by: [], why: 'an empty prerelease field' },
  { text: '1.2.3+a+b', by: [], why: 'metadata once' },
  { text: 'latest', by: [], why: 'a word' },
  { text: '', by: [], why: 'nothing' },
  { text: '٣.0.0', by: [], why: 'digits are ASCII' },
])('$text is a version in $by: $why', ({ text, by }) => {
  const readers = BOTH.filter((dialect) => parseVersion(text, dialect) !== undefined);
  expect(readers).toEqual(by);
});

test.each([
  { tag: 'v1.2.3', incomplete: false },
  { tag: '1.2.3-rc.1+b.7', incomplete: false },
  { tag: 'v1', incomplete: true },
  { tag: '1.2', incomplete: true },
  { tag: 'v01.2.3', incomplete: true },
])('$tag is incomplete: $incomplete', ({ tag, incomplete }) => {
  expect(isIncomplete(parsed(tag))).toBe(incomplete);
});

test.each([
  { text: 'v1.2.3', tag: 'v1.2.3', why: 'full' },
  { text: 'v1.2.3-rc.1', tag: 'v1.2.3-rc.1', why: 'full, a prerelease' },
  { text: '1.2.3', tag: undefined, why: 'no v: which spelling the registry has is open' },
  { text: 'v1.2', tag: undefined, why: 'a range or v1.2.0, by dialect' },
  { text: 'v1.02.3', tag: undefined, why: 'not canonical' },
  { text: 'v1.2.3+b', tag: undefined, why: 'a tag holds no plus' },
  { text: '>=v1.2.3', tag: undefined, why: 'a range' },
])('$text names the tag $tag: $why', ({ text, tag }) => {
  expect(exactTag(text, '3.4.0')).toBe(tag);
});

test('versions in order of precedence', () => {
  const rising = [
    '0.9.9',
    '1.0.0-0',
    '1.0.0-9',
    '1.0.0-10',
    '1.0.0-18446744073709551615',
    '1.0.0--1',
    '1.0.0-18446744073709551616',
    '1.0.0-Beta',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-rc',
    '1.0.0',
    '1.0.9007199254740992',
    '1.0.9007199254740993',
    '1.10.0',
  ].map((text) => parsed(text));
  for (const [i, a] of rising.entries()) {
    for (const [j, b] of rising.entries()) {
      expect(compareVersions(a, b), `${a.raw} and ${b.raw}`).toBe(Math.sign(i - j));
    }
  }
});

test('a version that is longer than any tag is invalid', () => {
  expect(parseVersion(`1.0.0-${'a.'.repeat(2000)}a`, '3.4.0')?.fields).toHaveLength(2001);
  expect(parseVersion(`1.0.0-${'a.'.repeat(10_000_000)}a`, '3.4.0')).toBeUndefined();
});

test('prerelease numbers that differ in padding: no order in 1.5.0, equal here', () => {
  const padded = parsed('1.0.0-01', '1.5.0');
  const plain = parsed('1.0.0-1', '1.5.0');
  expect([compareAsGo(padded, plain), compareAsGo(plain, padded)]).toEqual([-1, -1]);
  expect([compareVersions(padded, plain), compareVersions(plain, padded)]).toEqual([0, 0]);
});

const field = fc.oneof(
  fc.constantFrom('0', '1', '01', '10', 'a', 'b', 'A', '-', '18446744073709551616'),
  fc.stringMatching(/^[0-9A-Za-z-]{1,3}$/),
);
const version = fc
  .tuple(fc.nat(2), fc.nat(2), fc.nat(1), fc.array(field, { maxLength: 3 }))
  .map(([major, minor, patch, fields]) => {
    const dash = fields.length === 0 ? '' : `-${fields.join('.')}`;
    return parsed(`${major}.${minor}.${patch}${dash}`, '1.5.0');
  });

test('precedence is a total preorder', () => {
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      expect(compareVersions(a, b) + compareVersions(b, a)).toBe(0);
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) {
        expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
      }
    }),
  );
});

test.each([
  ['v1.2.3', '1.2.3+build', true],
  ['v1.2.3-rc.01', 'v1.2.3-rc.1', true],
  ['v1.2.3-0', 'v1.2.3-00', true],
  ['v1.2.3-rc.18446744073709551616', 'v1.2.3-rc.018446744073709551616', false],
  ['v1.2.3-a.b', 'v1.2.3-a-b', false],
  ['v1.2.3', 'v1.2.3-0', false],
])('%s and %s have equal keys: %s, as their precedence', (a, b, want) => {
  const [one, other] = [parseVersion(a, '1.5.0')!, parseVersion(b, '1.5.0')!];
  expect(compareVersions(one, other) === 0).toBe(want);
  expect(precedenceKey(one) === precedenceKey(other)).toBe(want);
});

test('a formatted version is complete and parses to the same version', () => {
  fc.assert(
    fc.property(version, (a) => {
      const again = parsed(formatVersion(a), '1.5.0');
      expect(compareAsGo(a, again)).toBe(0);
      expect(isIncomplete(again)).toBe(false);
    }),
  );
});

function parsed(text: string, dialect: Dialect = '3.4.0'): Version {
  return parseVersion(text, dialect)!;
}
