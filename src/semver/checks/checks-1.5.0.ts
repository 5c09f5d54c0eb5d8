import type { Comparator } from '../comparator.js';
import { isAtLeast, isTildeOrEqual, isWithinTilde, type Check } from './comparator-check.js';
import type { Operator } from '../constraint-scanner.js';
import { compareAsGo, type Version } from '../version.js';

/** The comparators of Masterminds/semver 1.5.0, as Crossplane before v2.3 links it. */
export const CHECKS_1_5_0: Readonly<Record<Operator, Check>> = {
  '': isTildeOrEqual,
  '=': isTildeOrEqual,
  '!=': isOther,
  '>': isAbove,
  '<': isBelow,
  '>=': isAtLeast,
  '=>': isAtLeast,
  '<=': isAtMost,
  '=<': isAtMost,
  '~': isWithinTilde,
  '~>': isWithinTilde,
  '^': isWithinMajor,
};

function isOther(version: Version, { bound, wildcard }: Comparator): boolean {
  if (wildcard === 'none') return compareAsGo(version, bound) !== 0;
  if (version.major !== bound.major) return true;
  return version.minor !== bound.minor && wildcard !== 'minor';
}

/** Wildcards count as 0: `>1` admits 1.0.1. */
function isAbove(version: Version, { bound }: Comparator): boolean {
  return compareAsGo(version, bound) > 0;
}

function isBelow(version: Version, comparator: Comparator): boolean {
  return comparator.wildcard === 'none'
    ? compareAsGo(version, comparator.bound) < 0
    : isUpToWildcard(version, comparator);
}

function isAtMost(version: Version, comparator: Comparator): boolean {
  return comparator.wildcard === 'none'
    ? compareAsGo(version, comparator.bound) <= 0
    : isUpToWildcard(version, comparator);
}

/** Major and minor are held against their bounds each on its own: `<1.2.x` refuses 0.9.0. */
function isUpToWildcard(version: Version, { bound, wildcard }: Comparator): boolean {
  if (version.major > bound.major) return false;
  return version.minor <= bound.minor || wildcard === 'minor';
}

/** Major 0 is a major like any other: `^0.2.3` admits 0.9.0. */
function isWithinMajor(version: Version, { bound }: Comparator): boolean {
  return compareAsGo(version, bound) >= 0 && version.major === bound.major;
}
