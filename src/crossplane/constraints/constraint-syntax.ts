import { type Dialect, dialectRules } from './dialects.js';
import { parseVersion, type Version } from './version.js';

/** One comparison of a constraint, `>=v1.2.x`, as a dialect reads it. */
export interface Comparator {
  /** As written. */
  readonly text: string;
  readonly operator: Operator;
  /** The version pattern as written: `v1.2.x`. */
  readonly pattern: string;
  /** The version to compare with; wildcards are 0. */
  readonly bound: Version;
  /** The first segment that is a wildcard, or that is missing and means the same. */
  readonly wildcard: Wildcard;
}

type Wildcard = 'none' | 'major' | 'minor' | 'patch';

/** Returns undefined for a pattern that is not a version (`1|2`, `x1`, too large). */
export function toComparator(scanned: ScannedComparator, dialect: Dialect): Comparator | undefined {
  const { operator, pattern, text } = scanned;
  const wildcard = firstWildcard(pattern, dialect);
  const bound = parseVersion(boundText(pattern, wildcard, dialect), dialect);
  if (bound === undefined) return undefined;
  return { text, operator, pattern: pattern.text, bound, wildcard };
}

function firstWildcard(pattern: VersionPattern, dialect: Dialect): Wildcard {
  if (isWildcard(pattern.major)) return 'major';
  if (pattern.minor === undefined || isWildcard(pattern.minor)) return 'minor';
  if (pattern.patch === undefined) return dialectRules(dialect).generation === 1 ? 'none' : 'patch';
  return isWildcard(pattern.patch) ? 'patch' : 'none';
}

function isWildcard(segment: string): boolean {
  return segment === 'x' || segment === 'X' || segment === '*';
}

function boundText(pattern: VersionPattern, wildcard: Wildcard, dialect: Dialect): string {
  if (wildcard === 'none') return pattern.text;
  const prerelease = pattern.prerelease === undefined ? '' : `-${pattern.prerelease}`;
  if (wildcard === 'major') {
    return dialectRules(dialect).generation === 1 ? '0.0.0' : `0.0.0${prerelease}`;
  }
  const minor = wildcard === 'minor' ? '0' : pattern.minor;
  return `${pattern.major}.${minor}.0${prerelease}`;
}

/** A version in a constraint, such as `1.2.x-rc.1+b`. Each segment may be a wildcard. */
interface VersionPattern {
  /** As written, including the `v`. */
  readonly text: string;
  readonly major: string;
  readonly minor: string | undefined;
  readonly patch: string | undefined;
  /** Without the dash; undefined if there is none. */
  readonly prerelease: string | undefined;
  readonly end: number;
}

export interface ScannedComparator {
  readonly operator: Operator;
  readonly pattern: VersionPattern;
  /** As written, from the operator to the end of the pattern. */
  readonly text: string;
  readonly end: number;
}

export type Operator = '' | '=' | '!=' | '>' | '<' | '>=' | '=>' | '<=' | '=<' | '~' | '~>' | '^';

// Both expressions are sticky. They never backtrack: there is only one way to split a text.
const OPERATOR = /!=|[<>]=?|=[<>]?|~>?|\^|/y;
const FIELDS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
// Go's character class contains the bar by mistake. It decides how `1.0||2.0 - 3.0` is read.
const SEGMENT = '[0-9|xX*]+';
const PATTERN = new RegExp(
  `v?(${SEGMENT})(?:\\.(${SEGMENT}))?(?:\\.(${SEGMENT}))?(?:-(${FIELDS}))?(?:\\+${FIELDS})?`,
  'y',
);

function scanPattern(text: string, at: number): VersionPattern | undefined {
  PATTERN.lastIndex = at;
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  return {
    text: match[0],
    major: match[1]!,
    minor: match[2],
    patch: match[3],
    prerelease: match[4],
    end: at + match[0].length,
  };
}

export function scanComparator(text: string, at: number): ScannedComparator | undefined {
  OPERATOR.lastIndex = at;
  // The expression matches only operators, among them the empty one, so it always matches.
  const operator = OPERATOR.exec(text)![0] as Operator;
  const pattern = scanPattern(text, skipSpaces(text, at + operator.length));
  if (pattern === undefined) return undefined;
  return { operator, pattern, text: text.slice(at, pattern.end), end: pattern.end };
}

export function skipSpaces(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The white space of Go's `\s`; that of JavaScript has more characters. */
function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 12 || code === 13;
}

/**
 * Rewrites `1.0 - 2.0` to `>= 1.0, <= 2.0` in the whole text, before anything else is parsed.
 *
 * As in Go, each range replaces the first occurrence of its text.
 */
export function rewriteHyphenRanges(text: string, dialect: Dialect): string {
  const trailing = dialectRules(dialect).generation === 3 ? ' ' : '';
  let rewritten = text;
  for (const { start, end, low, high } of hyphenRanges(text)) {
    const range = text.slice(start, end);
    const at = rewritten.indexOf(range);
    rewritten =
      `${rewritten.slice(0, at)}>= ${low}, <= ${high}${trailing}` +
      rewritten.slice(at + range.length);
  }
  return rewritten;
}

function* hyphenRanges(text: string) {
  let from = 0;
  for (let hyphen = text.indexOf('-'); hyphen !== -1; hyphen = text.indexOf('-', hyphen + 1)) {
    const range = hyphen < from ? undefined : rangeAround(text, hyphen, from);
    if (range === undefined) continue;
    from = range.end;
    yield range;
  }
}

function rangeAround(text: string, hyphen: number, from: number) {
  if (!isSpace(text.charCodeAt(hyphen - 1)) || !isSpace(text.charCodeAt(hyphen + 1)))
    return undefined;
  const high = scanPattern(text, skipSpaces(text, hyphen + 1));
  if (high === undefined) return undefined;
  const lowEnd = startOfRun(text, hyphen, from, isSpace);
  const wordStart = startOfRun(text, lowEnd, from, (code) => !isSpace(code));
  const lowStart = firstPatternUpTo(text, wordStart, lowEnd);
  if (lowStart === undefined) return undefined;
  return {
    start: startOfRun(text, lowStart, from, isSpace),
    end: skipSpaces(text, high.end),
    low: text.slice(lowStart, lowEnd),
    high: high.text,
  };
}

/** Returns the start of the run of characters before `end` for which `isInRun` is true. */
function startOfRun(
  text: string,
  end: number,
  from: number,
  isInRun: (code: number) => boolean,
): number {
  let at = end;
  while (at > from && isInRun(text.charCodeAt(at - 1))) at--;
  return at;
}

/**
 * Returns the first offset in `[from, end)` of a version pattern that ends exactly at `end`.
 *
 * A failed attempt excludes every start that would match the same text in the same role. So each
 * character is read only a few times.
 */
function firstPatternUpTo(text: string, from: number, end: number): number | undefined {
  let at = from;
  while (at < end) {
    const pattern = scanPattern(text, at);
    if (pattern?.end === end) return at;
    at = pattern === undefined ? at + 1 : nextStart(text, at, pattern.prerelease);
  }
  return undefined;
}

function nextStart(text: string, at: number, prerelease: string | undefined): number {
  let segmentEnd = text.startsWith('v', at) ? at + 1 : at;
  while (segmentEnd < text.length && '0123456789|xX*'.includes(text[segmentEnd]!)) segmentEnd++;
  if (prerelease === undefined) return segmentEnd;
  const prereleaseEnd = text.indexOf('-', segmentEnd) + 1 + prerelease.length;
  return text.lastIndexOf('-', prereleaseEnd - 1) + 1;
}
