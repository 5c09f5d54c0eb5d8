import type { Operator, ScannedComparator, VersionPattern } from './constraint-scanner.js';
import { parseVersion, type Version } from './version.js';
import type { Dialect } from './dialect.js';

/** One comparison of a constraint, `>=v1.2.x`, as a dialect reads it. */
export interface Comparator {
  /** As written. */
  readonly text: string;
  readonly operator: Operator;
  /** The version as written in it: `v1.2.x`. */
  readonly pattern: string;
  /** What versions are compared with; wildcards are 0. */
  readonly bound: Version;
  /** The first segment that is a wildcard, or missing where that means the same. */
  readonly wildcard: Wildcard;
}

type Wildcard = 'none' | 'major' | 'minor' | 'patch';

/** undefined: the pattern is no version once its wildcards are filled in (`1|2`, `x1`, too large). */
export function toComparator(scanned: ScannedComparator, dialect: Dialect): Comparator | undefined {
  const { operator, pattern, text } = scanned;
  const wildcard = wildcardOf(pattern, dialect);
  const bound = parseVersion(boundText(pattern, wildcard, dialect), dialect);
  if (bound === undefined) return undefined;
  return { text, operator, pattern: pattern.text, bound, wildcard };
}

function wildcardOf(pattern: VersionPattern, dialect: Dialect): Wildcard {
  if (isWildcard(pattern.major)) return 'major';
  if (pattern.minor === undefined || isWildcard(pattern.minor)) return 'minor';
  if (pattern.patch === undefined) return dialect === '1.5.0' ? 'none' : 'patch';
  return isWildcard(pattern.patch) ? 'patch' : 'none';
}

function isWildcard(segment: string): boolean {
  return segment === 'x' || segment === 'X' || segment === '*';
}

function boundText(pattern: VersionPattern, wildcard: Wildcard, dialect: Dialect): string {
  if (wildcard === 'none') return pattern.text;
  const prerelease = pattern.prerelease === undefined ? '' : `-${pattern.prerelease}`;
  if (wildcard === 'major') return dialect === '1.5.0' ? '0.0.0' : `0.0.0${prerelease}`;
  const minor = wildcard === 'minor' ? '0' : pattern.minor;
  return `${pattern.major}.${minor}.0${prerelease}`;
}
