import { isBlank, scanPattern, skipBlanks } from './constraint-scanner.js';
import type { Dialect } from './dialect.js';

interface HyphenRange {
  readonly start: number;
  readonly end: number;
  readonly low: string;
  readonly high: string;
}

/**
 * `1.0 - 2.0` becomes `>= 1.0, <= 2.0`, on the text as a whole and before anything else is read.
 *
 * As in Go, each range found replaces the first place where its text stands, wherever that is.
 */
export function rewriteHyphenRanges(text: string, dialect: Dialect): string {
  const trailing = dialect === '3.4.0' ? ' ' : '';
  let rewritten = text;
  for (const { start, end, low, high } of hyphenRanges(text)) {
    const found = text.slice(start, end);
    const at = rewritten.indexOf(found);
    rewritten =
      `${rewritten.slice(0, at)}>= ${low}, <= ${high}${trailing}` +
      rewritten.slice(at + found.length);
  }
  return rewritten;
}

function* hyphenRanges(text: string): Generator<HyphenRange> {
  let from = 0;
  for (let hyphen = text.indexOf('-'); hyphen !== -1; hyphen = text.indexOf('-', hyphen + 1)) {
    const range = hyphen < from ? undefined : rangeAround(text, hyphen, from);
    if (range === undefined) continue;
    from = range.end;
    yield range;
  }
}

function rangeAround(text: string, hyphen: number, from: number): HyphenRange | undefined {
  if (!isBlank(text.charCodeAt(hyphen - 1)) || !isBlank(text.charCodeAt(hyphen + 1)))
    return undefined;
  const high = scanPattern(text, skipBlanks(text, hyphen + 1));
  if (high === undefined) return undefined;
  const lowEnd = blanksBefore(text, hyphen, from);
  const lowStart = firstPatternUpTo(text, wordStart(text, lowEnd, from), lowEnd);
  if (lowStart === undefined) return undefined;
  return {
    start: blanksBefore(text, lowStart, from),
    end: skipBlanks(text, high.end),
    low: text.slice(lowStart, lowEnd),
    high: high.text,
  };
}

/** Where the blanks that end at `end` begin. */
function blanksBefore(text: string, end: number, from: number): number {
  let at = end;
  while (at > from && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

function wordStart(text: string, end: number, from: number): number {
  let at = end;
  while (at > from && !isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

/**
 * The first place in `[from, end)` at which a version pattern begins that ends exactly at `end`.
 *
 * A failed attempt rules out every start that would read the same text in the same role, so that
 * no character is read more than a few times.
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
  const afterRun = endOfSegment(text, text.startsWith('v', at) ? at + 1 : at);
  if (prerelease === undefined) return afterRun;
  const prereleaseEnd = text.indexOf('-', afterRun) + 1 + prerelease.length;
  return text.lastIndexOf('-', prereleaseEnd - 1) + 1;
}

function endOfSegment(text: string, from: number): number {
  let at = from;
  while (at < text.length && '0123456789|xX*'.includes(text[at]!)) at++;
  return at;
}
