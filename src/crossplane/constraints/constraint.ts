import {
  type Comparator,
  type Operator,
  rewriteHyphenRanges,
  scanComparator,
  type ScannedComparator,
  skipSpaces,
  toComparator,
} from './constraint-syntax.js';
import { type Dialect, dialectRules } from './dialects.js';
import { compareAsGo, comparePrereleases, compareVersions, type Version } from './version.js';
import { getOrCreate } from '../../base/collections.js';
import { type Digest, isDigest } from '../../base/digest.js';
import { goQuoted } from '../../base/escape.js';

/** Whether a version satisfies one comparator, not counting the rules for prereleases. */
type Check = (version: Version, comparator: Comparator) => boolean;

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
const CHECKS_1_5_0: Readonly<Record<Operator, Check>> = {
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
  const { bound, wildcard } = comparator;
  return wildcard === 'none'
    ? compareAsGo(version, bound) < 0
    : isLessOrEqualV1(version, comparator);
}

/** Before a wildcard, compares major and minor independently: `<1.2.x` refuses 0.9.0. */
function isLessOrEqualV1(version: Version, { bound, wildcard }: Comparator): boolean {
  if (wildcard === 'none') return compareAsGo(version, bound) <= 0;
  if (version.major > bound.major) return false;
  return version.minor <= bound.minor || wildcard === 'minor';
}

/** The comparators of Masterminds/semver 3.4.0, which Crossplane uses from v2.3 on. */
const CHECKS_3_4_0: Readonly<Record<Operator, Check>> = {
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

/** Whether a comparator refuses prereleases: from 3.4.0 on, if none of its group names one. */
export function refusesPrereleases(
  comparator: Comparator,
  group: readonly Comparator[],
  dialect: Dialect,
): boolean {
  if (dialectRules(dialect).generation === 3) return !group.some(namesPrerelease);
  const passesAny = comparator.operator === '!=' && comparator.wildcard === 'none';
  return !namesPrerelease(comparator) && !passesAny;
}

export function namesPrerelease({ bound }: Comparator): boolean {
  return bound.prerelease !== '';
}

/** A set of versions, as one dialect of Masterminds/semver parses `text`. */
export interface Constraint {
  readonly invalid: false;
  /** As written. */
  readonly text: string;
  readonly dialect: Dialect;
  /** A version is admitted if all comparators of one group admit it. */
  readonly groups: readonly Group[];
  /** `prereleases: true` compares prereleases like any other version. */
  admits(version: Version, options?: { readonly prereleases?: boolean }): boolean;
}

export type Group = readonly Comparator[];

export interface InvalidConstraint {
  readonly invalid: true;
  readonly text: string;
  readonly dialect: Dialect;
  readonly error: string;
}

/** Longer text is refused without parsing: constraints come from untrusted packages. */
export const MAX_CONSTRAINT_LENGTH = 4096;

const CHECKS: Readonly<Record<1 | 3, Readonly<Record<Operator, Check>>>> = {
  1: CHECKS_1_5_0,
  3: CHECKS_3_4_0,
};

/** Makes the error for text that is not a comparator. */
type ImproperError = (text: string) => string;

/** Parses a constraint. Results are cached, because packages repeat the same constraints. */
export function parseConstraint(text: string, dialect: Dialect): ParsedConstraint {
  const cache = getOrCreate(CACHES, dialect, () => new Map<string, ParsedConstraint>());
  const cached = cache.get(text);
  if (cached !== undefined) return cached;
  const parsed = readConstraint(text, dialect);
  if (cache.size >= MAX_CACHED) cache.clear();
  if (text.length <= MAX_CACHED_LENGTH) cache.set(text, parsed);
  return parsed;
}

type ParsedConstraint = Constraint | InvalidConstraint;

const CACHES = new Map<Dialect, Map<string, ParsedConstraint>>();
const MAX_CACHED = 10_000;
const MAX_CACHED_LENGTH = 200;

function readConstraint(text: string, dialect: Dialect): ParsedConstraint {
  const invalid = (error: string) => ({ invalid: true, text, dialect, error }) as const;
  const { generation, maxConstraintBytes, maxGroups, quotesErrors } = dialectRules(dialect);
  if (maxConstraintBytes !== undefined && Buffer.byteLength(text) > maxConstraintBytes) {
    return invalid(`constraint string is too long (max ${maxConstraintBytes} bytes)`);
  }
  if (text.length > MAX_CONSTRAINT_LENGTH) {
    return invalid(`improper constraint: longer than ${MAX_CONSTRAINT_LENGTH} characters`);
  }
  const parts = rewriteHyphenRanges(text, dialect).split('||');
  if (maxGroups !== undefined && parts.length > maxGroups) {
    return invalid(`too many constraint groups (max ${maxGroups})`);
  }
  const groups: Group[] = [];
  for (const part of parts) {
    const improper = (quoted: string) =>
      `improper constraint: ${quotesErrors === true ? goQuoted(quoted) : quoted}`;
    const group =
      generation === 1
        ? parseCommaSeparated(part, dialect, improper)
        : parseCommaOrSpaceSeparated(part, dialect, improper);
    if (typeof group === 'string') return invalid(group);
    groups.push(group);
  }
  const checks = groups.map((group) =>
    group.map((comparator) => ({
      comparator,
      check: CHECKS[generation][comparator.operator],
      closed: refusesPrereleases(comparator, group, dialect),
    })),
  );
  return {
    invalid: false,
    text,
    dialect,
    groups,
    admits: (version, options) => {
      const open = version.prerelease === '' || options?.prereleases === true;
      return checks.some((group) =>
        group.every(
          ({ comparator, check, closed }) => (open || !closed) && check(version, comparator),
        ),
      );
    },
  };
}

/** Returns an error message if the text is invalid. */
function parseCommaSeparated(part: string, dialect: Dialect, improper: ImproperError) {
  const group: Comparator[] = [];
  for (const piece of part.split(',')) {
    const scanned = scanComparator(piece, skipSpaces(piece, 0));
    if (scanned === undefined || skipSpaces(piece, scanned.end) !== piece.length) {
      return improper(piece);
    }
    const comparator = toComparator(scanned, dialect);
    if (comparator === undefined) return 'constraint Parser Error';
    group.push(comparator);
  }
  return group;
}

/** Returns an error message if the text is invalid. Errors of the scan come first. */
function parseCommaOrSpaceSeparated(part: string, dialect: Dialect, improper: ImproperError) {
  const scanned: ScannedComparator[] = [];
  let at = skipSpaces(part, 0);
  for (;;) {
    const comparator = scanComparator(part, at);
    if (comparator === undefined) return improper(part);
    scanned.push(comparator);
    const next = skipSpaces(part, comparator.end);
    if (next === part.length) break;
    const comma = part.startsWith(',', next);
    if (!comma && next === comparator.end) return improper(part);
    at = comma ? skipSpaces(part, next + 1) : next;
  }
  const group = scanned.map((comparator) => toComparator(comparator, dialect));
  return group.every((comparator) => comparator !== undefined) ? group : 'constraint parser error';
}

/** Whether a version satisfies one comparator. Prereleases compare like any other version. */
export function passesComparator(
  version: Version,
  comparator: Comparator,
  dialect: Dialect,
): boolean {
  return CHECKS[dialectRules(dialect).generation][comparator.operator](version, comparator);
}

export function admitsPrereleases({ groups, dialect }: Constraint): boolean {
  return groups.some((group) => !group.some((c) => refusesPrereleases(c, group, dialect)));
}

/** The requested versions of a package. */
export type Selector =
  | { readonly form: 'range'; readonly text: string }
  | { readonly form: 'tag'; readonly tag: string }
  | { readonly form: 'digest'; readonly digest: Digest };

/** Any release, but no prerelease. */
export const ANY: Selector = { form: 'range', text: '*' };

/** Returns the selector for the `version` of a dependsOn entry. */
export function selectorOf(constraint: string): Selector {
  return isDigest(constraint)
    ? { form: 'digest', digest: constraint }
    : { form: 'range', text: constraint };
}

export function selectorText(selector: Selector): string {
  if (selector.form === 'range') return selector.text;
  return selector.form === 'tag' ? selector.tag : selector.digest;
}

/**
 * Sorts versions by how close they are to a constraint: first those between its lowest and highest
 * version, newest first; then those above, lowest first; then those below, highest first. If the
 * text is not a constraint: newest first.
 */
export function nearestFirst(
  versions: readonly Version[],
  constraint: ConstraintText,
): readonly Version[] {
  const newest = versions.toSorted((a, b) => compareVersions(b, a));
  const bounds = boundsOf(newest, constraint);
  if (bounds === undefined) return newest;
  const above = newest.filter((version) => compareVersions(version, bounds.highest) > 0);
  const below = newest.filter((version) => compareVersions(version, bounds.lowest) < 0);
  const within = newest.slice(above.length, newest.length - below.length);
  return [...within, ...above.toReversed(), ...below];
}

/** Whether a version is below every version that a constraint names or admits. */
export function isBelow(
  version: Version,
  versions: readonly Version[],
  constraint: ConstraintText,
): boolean {
  const bounds = boundsOf(versions, constraint);
  return bounds !== undefined && compareVersions(version, bounds.lowest) < 0;
}

type ConstraintText = Pick<Constraint, 'text' | 'dialect'>;

/** Returns the lowest and highest version that a constraint names or admits, if any. */
function boundsOf(versions: readonly Version[], { text, dialect }: ConstraintText) {
  const constraint = parseConstraint(text, dialect);
  if (constraint.invalid) return undefined;
  const named = constraint.groups
    .flat()
    .filter(({ wildcard }) => wildcard !== 'major')
    .map(({ bound }) => bound);
  const admitted = versions.filter((version) => constraint.admits(version));
  const all = [...named, ...admitted].sort(compareVersions);
  const [lowest, highest] = [all[0], all.at(-1)];
  return lowest && highest && { lowest, highest };
}
