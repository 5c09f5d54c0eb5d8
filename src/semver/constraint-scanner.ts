/** `1.2.x-rc.1+b` as a constraint writes a version: each segment may be a wildcard. */
export interface VersionPattern {
  /** As written, with `v`. */
  readonly text: string;
  readonly major: string;
  /** undefined: not written. */
  readonly minor: string | undefined;
  readonly patch: string | undefined;
  /** Without the dash; undefined: none. */
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

// Both are sticky and deterministic: where one optional part cannot go on, no other split can.
const OPERATOR = /!=|[<>]=?|=[<>]?|~>?|\^|/y;
const FIELDS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
// The bar is in Go's character class by mistake; it decides how `1.0||2.0 - 3.0` is read.
const SEGMENT = '[0-9|xX*]+';
const PATTERN = new RegExp(
  `v?(${SEGMENT})(?:\\.(${SEGMENT}))?(?:\\.(${SEGMENT}))?(?:-(${FIELDS}))?(?:\\+${FIELDS})?`,
  'y',
);

/** The longest version pattern that begins at `at`. */
export function scanPattern(text: string, at: number): VersionPattern | undefined {
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

/** Operator, blanks, pattern. */
export function scanComparator(text: string, at: number): ScannedComparator | undefined {
  OPERATOR.lastIndex = at;
  // The expression matches nothing but operators, and always at least the empty one.
  const operator = OPERATOR.exec(text)![0] as Operator;
  const pattern = scanPattern(text, skipBlanks(text, at + operator.length));
  if (pattern === undefined) return undefined;
  return { operator, pattern, text: text.slice(at, pattern.end), end: pattern.end };
}

export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** Go's `\s`: tab, line feed, form feed, carriage return, space; JavaScript's has more. */
export function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 12 || code === 13;
}
