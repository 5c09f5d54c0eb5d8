import { type Dialect, dialectRules } from './dialects.js';

/** A number if that is exact, otherwise a bigint. A value that fits a number is never a bigint. */
export type Segment = number | bigint;

/** A version as `NewVersion` of a dialect parses it. `raw` is the text as written. */
export interface Version {
  readonly raw: string;
  readonly major: Segment;
  readonly minor: Segment;
  readonly patch: Segment;
  /** Without the dash; empty for a release. */
  readonly prerelease: string;
  readonly fields: readonly string[];
  /** Without the plus; comparisons ignore it. */
  readonly metadata: string;
}

const FIELDS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const LENIENT_VERSION = new RegExp(
  `^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:-(${FIELDS}))?(?:\\+(${FIELDS}))?$`,
);
const NO_FIELDS: readonly string[] = [];
/** For dialects without a limit: regular expressions may run out of stack. Tags have 128 characters. */
const MAX_VERSION_LENGTH = 4096;
/** Number of digits that a JavaScript number always represents exactly. */
const SAFE_DIGITS = 15;
const MAX_INT64 = '9223372036854775807';

/** Parses a version: the `v` is optional, missing segments are 0. Undefined if invalid. */
export function parseVersion(text: string, dialect: Dialect): Version | undefined {
  const { generation, maxVersionBytes = MAX_VERSION_LENGTH } = dialectRules(dialect);
  // A version has only ASCII characters, so that a longer text of fewer bytes is none either.
  const match = text.length > maxVersionBytes ? null : LENIENT_VERSION.exec(text);
  if (match === null) return undefined;
  const max = generation === 1 ? MAX_INT64 : MAX_UINT64;
  const major = parseSegment(match[1]!, max);
  const minor = parseSegment(match[2] ?? '0', max);
  const patch = parseSegment(match[3] ?? '0', max);
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  const prerelease = match[4] ?? '';
  const fields = prerelease === '' ? NO_FIELDS : prerelease.split('.');
  if (generation === 3 && fields.some(isZeroPadded)) return undefined;
  return { raw: text, major, minor, patch, prerelease, fields, metadata: match[5] ?? '' };
}

function parseSegment(digits: string, max: string): Segment | undefined {
  if (digits.length <= SAFE_DIGITS) return Number(digits);
  if (compareDigits(digits, max) > 0) return undefined;
  const value = BigInt(digits);
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

function isZeroPadded(field: string): boolean {
  return /^0[0-9]+$/.test(field);
}

/** Compares versions by precedence, without regard to spelling or metadata. */
export function compareVersions(a: Version, b: Version): number {
  return compare(a, b, 0);
}

/** Compares two versions; undefined if one of them is a digest, or a tag that is no version. */
export function compareVersionTexts(a: string, b: string, dialect: Dialect): number | undefined {
  const [one, other] = [parseVersion(a, dialect), parseVersion(b, dialect)];
  return one && other && compareVersions(one, other);
}

/** Returns equal keys for exactly those versions that `compareVersions` considers equal. */
export function precedenceKey({ major, minor, patch, fields }: Version): string {
  return `${major}.${minor}.${patch}-${prereleaseKey(fields)}`;
}

/** Compares versions as Go does. In 1.5.0, numbers with different padding have no order. */
export function compareAsGo(a: Version, b: Version): number {
  return compare(a, b, -1);
}

function compare(a: Version, b: Version, sameNumber: -1 | 0): number {
  if (a.major !== b.major) return a.major < b.major ? -1 : 1;
  if (a.minor !== b.minor) return a.minor < b.minor ? -1 : 1;
  if (a.patch !== b.patch) return a.patch < b.patch ? -1 : 1;
  if (a.prerelease === b.prerelease) return 0;
  if (a.prerelease === '') return 1;
  if (b.prerelease === '') return -1;
  return comparePrereleases(a.fields, b.fields, sameNumber);
}

/** Formats a version as `major.minor.patch[-prerelease][+metadata]`, without a `v`. */
export function formatVersion(version: Version): string {
  const { major, minor, patch, prerelease, metadata } = version;
  const dash = prerelease === '' ? '' : `-${prerelease}`;
  const plus = metadata === '' ? '' : `+${metadata}`;
  return `${major}.${minor}.${patch}${dash}${plus}`;
}

/** Whether a segment is missing (`v1`, `1.2`) or zero-padded. */
export function isIncomplete(version: Version): boolean {
  const spelled = version.raw.startsWith('v') ? version.raw.slice(1) : version.raw;
  return formatVersion(version) !== spelled;
}

/** Returns `text` if it is one full version of the form `vX.Y.Z[-pre]`, otherwise undefined. */
export function exactTag(text: string, dialect: Dialect): string | undefined {
  if (!text.startsWith('v')) return undefined;
  const version = parseVersion(text, dialect);
  return version === undefined || version.metadata !== '' || isIncomplete(version)
    ? undefined
    : text;
}

const MAX_UINT64 = '18446744073709551615';
const DIGITS = /^[0-9]+$/;

/**
 * Compares two non-empty prereleases field by field. Numbers come before words, and the shorter
 * list first.
 *
 * `sameNumber` is the result for numbers that differ only in spelling (`01`, `1`). Go considers the
 * first one lower in either order, which is no order for sorting; 0 continues with the next field.
 */
export function comparePrereleases(
  a: readonly string[],
  b: readonly string[],
  sameNumber: -1 | 0,
): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    if (a[i] === b[i]) continue;
    const order = compareFields(a[i]!, b[i]!) || sameNumber;
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

function compareFields(a: string, b: string): number {
  const numericA = isNumber(a);
  if (numericA !== isNumber(b)) return numericA ? -1 : 1;
  return numericA ? compareDigits(a, b) : a < b ? -1 : 1;
}

/** Returns equal keys for exactly those prereleases that have equal precedence. */
function prereleaseKey(fields: readonly string[]): string {
  const keys = fields.map((field) => (isNumber(field) ? withoutZeros(field) || '0' : field));
  return keys.join('.');
}

/** Whether a field has only digits and fits in a uint64. Go treats longer ones as words. */
function isNumber(field: string): boolean {
  if (!DIGITS.test(field)) return false;
  return field.length < MAX_UINT64.length || compareDigits(field, MAX_UINT64) <= 0;
}

function compareDigits(a: string, b: string): number {
  const [x, y] = [withoutZeros(a), withoutZeros(b)];
  if (x.length !== y.length) return x.length < y.length ? -1 : 1;
  return x === y ? 0 : x < y ? -1 : 1;
}

/** Removes leading zeros. */
function withoutZeros(digits: string): string {
  return digits.replace(/^0+/, '');
}
