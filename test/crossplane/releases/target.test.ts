import { expect, test } from 'vitest';
import { targetFor } from '../../../src/crossplane/releases/target.js';

test.each([
  { version: 'v1.14.0', rule: 'dialect', want: '1.5.0', why: 'semver 1.5 from the beginning' },
  { version: 'v2.2.4', rule: 'dialect', want: '1.5.0', why: 'the last release with it' },
  { version: 'v2.3.0', rule: 'dialect', want: '3.4.0', why: 'the first release without it' },
  { version: 'v2.0.2', rule: 'skipsIncompleteTags', want: false, why: 'not yet' },
  { version: 'v2.0.3', rule: 'skipsIncompleteTags', want: true, why: 'backported' },
  { version: 'v1.20.11', rule: 'skipsIncompleteTags', want: false, why: 'never backported' },
  { version: 'v1.18.5', rule: 'lockRows', want: 'type', why: 'apiVersion is not in the schema' },
  { version: 'v1.20.0-up.1', rule: 'lockRows', want: 'gvk', why: 'a suffix changes no rule' },
  {
    version: 'v9.0.0',
    rule: 'dialect',
    want: '3.5.0',
    why: 'newer than known: as the newest known',
  },
] as const)('$version: $rule is $want ($why)', ({ version, rule, want }) => {
  expect(targetFor(version)?.rules[rule]).toBe(want);
});

test.each([
  { version: 'v2.3', why: 'a number is missing' },
  { version: 'v2.03.0', why: 'a zero before a number' },
  { version: 'v2.3.0-01', why: 'a zero before a number of the prerelease' },
  { version: 'v2.3.0-a..b', why: 'nothing between two dots' },
  { version: ' v2.3.0', why: 'a blank' },
  { version: '>=v2.3.0', why: 'a range' },
])('`$version` is no release: $why', ({ version }) => {
  expect(targetFor(version)).toBeUndefined();
});

test.each([
  { version: 'v2.3.4', warned: false },
  { version: 'v1.20.0-up.1', warned: false },
  { version: 'v2.4.0-rc.0', warned: false },
  { version: 'v2.9.0', warned: true },
  { version: 'v1.13.0', warned: true },
])('$version is unknown: $warned', ({ version, warned }) => {
  expect(targetFor(version)?.warning !== undefined).toBe(warned);
});
