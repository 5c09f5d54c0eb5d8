import { compareDigits, comparePrereleases, prereleaseKey } from './prerelease.js';
import type { Dialect } from './dialect.js';

/** A number where it is exact, else a bigint; never a bigint for what fits a number. */
export type Segment = number | bigint;

/** A version as `NewVersion` of a dialect reads it; `raw` keeps the spelling. */
export interface Version {
  readonly raw: string;
  readonly major: Segment;
  readonly minor: Segment;
  readonly patch: Segment;
  /** Without the dash; empty: a release. */
  readonly prerelease: string;
  /** The dot-separated fields of `prerelease`. */
  readonly fields: readonly string[];
  /** Without the plus; ignored by every comparison. */
  readonly metadata: string;
}

const FIELDS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const LOOSE = new RegExp(
  `^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:-(${FIELDS}))?(?:\\+(${FIELDS}))?$`,
);
const NO_FIELDS: readonly string[] = [];
/** Go has no limit; a tag has at most 128 characters, and the expression's stack is finite. */
const MAX_VERSION_LENGTH = 4096;
/** Digits that a JavaScript number holds exactly. */
const SAFE_DIGITS = 15;
/** What Go's integer of a dialect holds: int64, then uint64. */
const MAX_SEGMENT: Readonly<Record<Dialect, string>> = {
  '1.5.0': '9223372036854775807',
  '3.4.0': '18446744073709551615',
};

/** Reads a version loosely: an optional `v`, missing segments are 0. undefined: not a version. */
export function parseVersion(text: string, dialect: Dialect): Version | undefined {
  const match = text.length > MAX_VERSION_LENGTH ? null : LOOSE.exec(text);
  if (match === null) return undefined;
  const major = parseSegment(match[1]!, dialect);
  const minor = parseSegment(match[2] ?? '0', dialect);
  const patch = parseSegment(match[3] ?? '0', dialect);
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  const prerelease = match[4] ?? '';
  const fields = prerelease === '' ? NO_FIELDS : prerelease.split('.');
  if (dialect === '3.4.0' && fields.some(isZeroPadded)) return undefined;
  return { raw: text, major, minor, patch, prerelease, fields, metadata: match[5] ?? '' };
}

function parseSegment(digits: string, dialect: Dialect): Segment | undefined {
  if (digits.length <= SAFE_DIGITS) return Number(digits);
  if (compareDigits(digits, MAX_SEGMENT[dialect]) > 0) return undefined;
  const value = BigInt(digits);
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

function isZeroPadded(field: string): boolean {
  return /^0[0-9]+$/.test(field);
}

/** Order by precedence, a total preorder: 0 for versions that differ in spelling or metadata. */
export function compareVersions(a: Version, b: Version): number {
  return compare(a, b, 0);
}

/** Equal for versions that `compareVersions` finds equal, and only for them. */
export function precedenceKey({ major, minor, patch, fields }: Version): string {
  return `${major}.${minor}.${patch}-${prereleaseKey(fields)}`;
}

/**
 * The order Go's comparators see. It differs from `compareVersions` in prerelease numbers that are
 * equal and spelled apart, which 1.5.0 never finds equal: not an order to sort by.
 */
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

/** `major.minor.patch[-prerelease][+metadata]` with canonical numbers and no `v`. */
export function formatVersion(version: Version): string {
  const { major, minor, patch, prerelease, metadata } = version;
  const dash = prerelease === '' ? '' : `-${prerelease}`;
  const plus = metadata === '' ? '' : `+${metadata}`;
  return `${major}.${minor}.${patch}${dash}${plus}`;
}

/** Some releases install no such tag: a segment is missing (`v1`, `1.2`) or zero-padded. */
export function isIncomplete(version: Version): boolean {
  const spelled = version.raw.startsWith('v') ? version.raw.slice(1) : version.raw;
  return formatVersion(version) !== spelled;
}

/** `text`, if it is spelled as one full release or prerelease: `vX.Y.Z[-pre]`. */
export function exactTag(text: string, dialect: Dialect): string | undefined {
  if (!text.startsWith('v')) return undefined;
  const version = parseVersion(text, dialect);
  if (version === undefined || version.metadata !== '' || isIncomplete(version)) return undefined;
  return text;
}
