import type { Comparator } from '../comparator.js';
import { compareAsGo, type Version } from '../version.js';

/** Whether a version passes one comparator, prereleases aside. */
export type Check = (version: Version, comparator: Comparator) => boolean;

// What both dialects agree on. Tilde is also what `=` means once a segment is a wildcard.

export function isAtLeast(version: Version, { bound }: Comparator): boolean {
  return compareAsGo(version, bound) >= 0;
}

export function isTildeOrEqual(version: Version, comparator: Comparator): boolean {
  return comparator.wildcard === 'none'
    ? compareAsGo(version, comparator.bound) === 0
    : isWithinTilde(version, comparator);
}

export function isWithinTilde(version: Version, { bound, wildcard }: Comparator): boolean {
  if (compareAsGo(version, bound) < 0) return false;
  if (isZero(bound) && (wildcard === 'none' || wildcard === 'major')) return true;
  if (version.major !== bound.major) return false;
  return version.minor === bound.minor || wildcard === 'minor';
}

/** `~0.0.0` and `~*` have no upper end. */
export function isZero({ major, minor, patch }: Version): boolean {
  return major === 0 && minor === 0 && patch === 0;
}
