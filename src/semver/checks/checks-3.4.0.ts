import type { Comparator } from '../comparator.js';
import { isAtLeast, isTildeOrEqual, isWithinTilde, type Check } from './comparator-check.js';
import type { Operator } from '../constraint-scanner.js';
import { comparePrereleases } from '../prerelease.js';
import { compareAsGo, type Version } from '../version.js';

/** The comparators of Masterminds/semver 3.4.0, as Crossplane links it from v2.3 on. */
export const CHECKS_3_4_0: Readonly<Record<Operator, Check>> = {
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
  '^': isWithinCaret,
};

function isOther(version: Version, { bound, wildcard }: Comparator): boolean {
  if (wildcard === 'none' || wildcard === 'major') return compareAsGo(version, bound) !== 0;
  if (version.major !== bound.major) return true;
  if (wildcard === 'minor') return false;
  if (version.minor !== bound.minor) return true;
  return comparePrereleases(version.fields, bound.fields, -1) !== 0;
}

/** A wildcard is passed as a whole: `>1` begins at 2.0.0, `>1.2` at 1.3.0. */
function isAbove(version: Version, { bound, wildcard }: Comparator): boolean {
  if (wildcard === 'none' || wildcard === 'major') return compareAsGo(version, bound) > 0;
  if (version.major !== bound.major) return version.major > bound.major;
  return wildcard === 'patch' && version.minor > bound.minor;
}

function isBelow(version: Version, { bound }: Comparator): boolean {
  return compareAsGo(version, bound) < 0;
}

function isAtMost(version: Version, { bound, wildcard }: Comparator): boolean {
  if (wildcard === 'none') return compareAsGo(version, bound) <= 0;
  if (version.major !== bound.major) return version.major < bound.major;
  return wildcard === 'minor' || version.minor <= bound.minor;
}

/** Holds the leftmost segment that is not 0, as npm does: `^0.2.3` ends before 0.3.0. */
function isWithinCaret(version: Version, { bound, wildcard }: Comparator): boolean {
  if (compareAsGo(version, bound) < 0) return false;
  if (version.major !== bound.major) return false;
  if (bound.major > 0 || wildcard === 'minor') return true;
  if (version.minor !== bound.minor) return false;
  return bound.minor > 0 || wildcard === 'patch' || version.patch === bound.patch;
}
