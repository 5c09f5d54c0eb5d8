import { describe, expect, test } from 'vitest';
import { parseConstraint } from '../../src/crossplane/constraints/constraint.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import {
  compareVersions,
  isIncomplete,
  parseVersion,
} from '../../src/crossplane/constraints/version.js';

/** Returns the newest of `tags` that `constraint` admits on a Crossplane release. */
function newest(constraint: string, tags: readonly string[], crossplane: string) {
  const { dialect } = targetFor(crossplane)!.rules;
  const parsed = parseConstraint(constraint, dialect);
  if (parsed.invalid) return parsed.error;
  return tags
    .flatMap((tag) => parseVersion(tag, dialect) ?? [])
    .filter((version) => parsed.admits(version))
    .sort(compareVersions)
    .at(-1)?.raw;
}

function admits(constraint: string, version: string, crossplane: string): boolean {
  return newest(constraint, [version], crossplane) === version;
}

describe('there are two dialects of semver', () => {
  test.each([
    { crossplane: 'v1.20.0', want: '0.9.0' },
    { crossplane: 'v2.2.4', want: '0.9.0' },
    { crossplane: 'v2.3.0', want: '0.2.9' },
  ])('^0.2.3 on $crossplane picks $want', ({ crossplane, want }) => {
    expect(newest('^0.2.3', ['0.2.9', '0.9.0'], crossplane)).toBe(want);
  });
});

describe('a blank between comparators is an error before v2.3', () => {
  test.each([
    { crossplane: 'v2.2.4', want: 'improper constraint: >=1.0.0 <2.0.0' },
    { crossplane: 'v2.3.0', want: '1.5.0' },
  ])('on $crossplane: $want', ({ crossplane, want }) => {
    expect(newest('>=1.0.0 <2.0.0', ['1.5.0', '2.0.0'], crossplane)).toBe(want);
  });
});

describe('`<2` admits 2.x before v2.3', () => {
  test.each([
    { crossplane: 'v1.20.0', want: '2.5.0' },
    { crossplane: 'v2.3.0', want: '1.9.0' },
  ])('on $crossplane it picks $want', ({ crossplane, want }) => {
    expect(newest('<2', ['1.9.0', '2.5.0'], crossplane)).toBe(want);
  });
});

describe('`1.2` is one version before v2.3, and a range from there on', () => {
  test.each([
    { crossplane: 'v1.20.0', want: false },
    { crossplane: 'v2.3.0', want: true },
  ])('on $crossplane it admits 1.2.5: $want', ({ crossplane, want }) => {
    expect(admits('1.2', '1.2.5', crossplane)).toBe(want);
  });
});

describe('prereleases follow Masterminds, not npm', () => {
  test.each([
    { constraint: '>=1.0.0-0', version: '3.1.0-rc.1', old: true, now: true, why: 'any tuple' },
    { constraint: '>=1.0.0-0, <2.0.0', version: '2.0.0-rc.1', old: false, now: true, why: 'group' },
    { constraint: '>=1.0.0-0, <2.0.0', version: '1.5.0-rc.1', old: false, now: true, why: 'group' },
    { constraint: '*', version: '1.0.0-rc.1', old: false, now: false, why: 'none is named' },
    { constraint: '!=1.0.0', version: '2.0.0-rc.1', old: true, now: false, why: 'no gate in 1.5' },
  ])('$constraint, $version: $old, then $now ($why)', ({ constraint, version, old, now }) => {
    expect(admits(constraint, version, 'v1.20.0')).toBe(old);
    expect(admits(constraint, version, 'v2.3.0')).toBe(now);
  });
});

describe('a Crossplane build with a suffix fails plain constraints', () => {
  test.each([
    { constraint: '>=v1.14.0', version: 'v1.20.0-up.1', want: false, why: 'a prerelease' },
    { constraint: '>=v1.14.0-0', version: 'v1.20.0-up.1', want: true, why: 'one is named' },
    { constraint: '>=v1.14.0', version: 'v1.20.0+up.1', want: true, why: 'metadata is ignored' },
    { constraint: '>=v1.14.0-0, <v2.0.0', version: 'v1.20.0-up.1', want: false, why: 'half named' },
  ])('$constraint, $version → $want: $why', ({ constraint, version, want }) => {
    expect(admits(constraint, version, version)).toBe(want);
  });
});

describe('`v1` is a version, and incomplete', () => {
  const tags = ['v1', 'v0.9.0'];

  test('a constraint admits such a tag', () => {
    expect(newest('>=v0.5.0', tags, 'v1.20.0')).toBe('v1');
  });

  test('releases that skip such tags recognize them', () => {
    const { dialect, skipsIncompleteTags } = targetFor('v2.1.0')!.rules;
    const kept = tags.filter((tag) => !isIncomplete(parseVersion(tag, dialect)!));
    expect(skipsIncompleteTags).toBe(true);
    expect(newest('>=v0.5.0', kept, 'v2.1.0')).toBe('v0.9.0');
  });
});

describe('words and empty text are not constraints on any release', () => {
  test.each(['v1.14.0', 'v1.20.0', 'v2.2.4', 'v2.3.4'])('%s', (crossplane) => {
    const { dialect } = targetFor(crossplane)!.rules;
    for (const text of ['', ' ', 'latest', 'main', `sha256:${'0'.repeat(64)}`]) {
      expect(parseConstraint(text, dialect).invalid, text).toBe(true);
    }
  });
});
