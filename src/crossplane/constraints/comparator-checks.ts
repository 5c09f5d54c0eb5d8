import type { Comparator, Operator } from './constraint-syntax.js';
import { compareAsGo, comparePrereleases, type Dialect, type Version } from './version.js';

/** Whether a version satisfies one comparator, not counting the rules for prereleases. */
export type Check = (version: Version, comparator: Comparator) => boolean;

// Checks that both dialects share. A tilde is also what `=` means with a wildcard.

function isAtLeast(version: Version, { bound }: Comparator): boolean {
  return compareAsGo(version, bound) >= 0;
}

function isTildeOrEqual(version: Version, comparator: Comparator): boolean {
  return comparator.wildcard === 'none'
    ? compareAsGo(version, comparator.bound) === 0
    : isWithinTilde(version, comparator);
}

function isWithinTilde(version: Version, { bound, wildcard }: Comparator): boolean {
  if (compareAsGo(version, bound) < 0) return false;
  if (isZero(bound) && (wildcard === 'none' || wildcard === 'major')) return true;
  if (version.major !== bound.major) return false;
  return version.minor === bound.minor || wildcard === 'minor';
}

/** `~0.0.0` and `~*` have no upper bound. */
export function isZero({ major, minor, patch }: Version): boolean {
  return major === 0 && minor === 0 && patch === 0;
}

const SHARED_CHECKS = {
  '': isTildeOrEqual,
  '=': isTildeOrEqual,
  '>=': isAtLeast,
  '=>': isAtLeast,
  '~': isWithinTilde,
  '~>': isWithinTilde,
};

/** The comparators of Masterminds/semver 1.5.0, which Crossplane before v2.3 uses. */
export const CHECKS_1_5_0: Readonly<Record<Operator, Check>> = {
  ...SHARED_CHECKS,
  '!=': isNotEqualV1,
  // A wildcard counts as 0: `>1` admits 1.0.1.
  '>': (version, { bound }) => compareAsGo(version, bound) > 0,
  '<': isLessV1,
  '<=': isLessOrEqualV1,
  '=<': isLessOrEqualV1,
  // Major version 0 is not special: `^0.2.3` admits 0.9.0.
  '^': (version, { bound }) => compareAsGo(version, bound) >= 0 && version.major === bound.major,
};

function isNotEqualV1(version: Version, { bound, wildcard }: Comparator): boolean {
  if (wildcard === 'none') return compareAsGo(version, bound) !== 0;
  if (version.major !== bound.major) return true;
  return version.minor !== bound.minor && wildcard !== 'minor';
}

function isLessV1(version: Version, comparator: Comparator): boolean {
  return comparator.wildcard === 'none'
    ? compareAsGo(version, comparator.bound) < 0
    : isUpToWildcard(version, comparator);
}

function isLessOrEqualV1(version: Version, comparator: Comparator): boolean {
  return comparator.wildcard === 'none'
    ? compareAsGo(version, comparator.bound) <= 0
    : isUpToWildcard(version, comparator);
}

/** Compares major and minor independently: `<1.2.x` refuses 0.9.0. */
function isUpToWildcard(version: Version, { bound, wildcard }: Comparator): boolean {
  if (version.major > bound.major) return false;
  return version.minor <= bound.minor || wildcard === 'minor';
}

/** The comparators of Masterminds/semver 3.4.0, which Crossplane uses from v2.3 on. */
export const CHECKS_3_4_0: Readonly<Record<Operator, Check>> = {
  ...SHARED_CHECKS,
  '!=': isNotEqualV3,
  '>': isGreaterV3,
  '<': (version, { bound }) => compareAsGo(version, bound) < 0,
  '<=': isLessOrEqualV3,
  '=<': isLessOrEqualV3,
  '^': isWithinCaret,
};

function isNotEqualV3(version: Version, { bound, wildcard }: Comparator): boolean {
  if (wildcard === 'none' || wildcard === 'major') return compareAsGo(version, bound) !== 0;
  if (version.major !== bound.major) return true;
  if (wildcard === 'minor') return false;
  if (version.minor !== bound.minor) return true;
  return comparePrereleases(version.fields, bound.fields, -1) !== 0;
}

/** Skips all versions that the wildcard covers: `>1` begins at 2.0.0, `>1.2` at 1.3.0. */
function isGreaterV3(version: Version, { bound, wildcard }: Comparator): boolean {
  if (wildcard === 'none' || wildcard === 'major') return compareAsGo(version, bound) > 0;
  if (version.major !== bound.major) return version.major > bound.major;
  return wildcard === 'patch' && version.minor > bound.minor;
}

function isLessOrEqualV3(version: Version, { bound, wildcard }: Comparator): boolean {
  if (wildcard === 'none') return compareAsGo(version, bound) <= 0;
  if (version.major !== bound.major) return version.major < bound.major;
  return wildcard === 'minor' || version.minor <= bound.minor;
}

/** Fixes the leftmost segment that is not 0, as npm does: `^0.2.3` ends before 0.3.0. */
function isWithinCaret(version: Version, { bound, wildcard }: Comparator): boolean {
  if (compareAsGo(version, bound) < 0) return false;
  if (version.major !== bound.major) return false;
  if (bound.major > 0 || wildcard === 'minor') return true;
  if (version.minor !== bound.minor) return false;
  return bound.minor > 0 || wildcard === 'patch' || version.patch === bound.patch;
}

/** Whether a comparator refuses prereleases: in 3.4.0 none of its group may name one. */
export function refusesPrereleases(
  comparator: Comparator,
  group: readonly Comparator[],
  dialect: Dialect,
): boolean {
  if (dialect === '3.4.0') return !group.some(namesPrerelease);
  const passesAny = comparator.operator === '!=' && comparator.wildcard === 'none';
  return !namesPrerelease(comparator) && !passesAny;
}

export function namesPrerelease({ bound }: Comparator): boolean {
  return bound.prerelease !== '';
}
