import { type Check, CHECKS_1_5_0, CHECKS_3_4_0, refusesPrereleases } from './comparator-checks.js';
import {
  type Comparator,
  type Operator,
  rewriteHyphenRanges,
  scanComparator,
  type ScannedComparator,
  skipSpaces,
  toComparator,
} from './constraint-syntax.js';
import { compareVersions, type Dialect, type Version } from './version.js';
import { type Digest, isDigest } from '../../base/digest.js';

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

const CHECKS: Readonly<Record<Dialect, Readonly<Record<Operator, Check>>>> = {
  '1.5.0': CHECKS_1_5_0,
  '3.4.0': CHECKS_3_4_0,
};

/** Parses a constraint. Results are cached, because packages repeat the same constraints. */
export function parseConstraint(text: string, dialect: Dialect): Constraint | InvalidConstraint {
  const cache = CACHES[dialect];
  const cached = cache.get(text);
  if (cached !== undefined) return cached;
  const parsed = readConstraint(text, dialect);
  if (cache.size >= MAX_CACHED) cache.clear();
  if (text.length <= MAX_CACHED_LENGTH) cache.set(text, parsed);
  return parsed;
}

const CACHES: Readonly<Record<Dialect, Map<string, Constraint | InvalidConstraint>>> = {
  '1.5.0': new Map(),
  '3.4.0': new Map(),
};
const MAX_CACHED = 10_000;
const MAX_CACHED_LENGTH = 200;

function readConstraint(text: string, dialect: Dialect): Constraint | InvalidConstraint {
  if (text.length > MAX_CONSTRAINT_LENGTH) {
    const error = `improper constraint: longer than ${MAX_CONSTRAINT_LENGTH} characters`;
    return { invalid: true, text, dialect, error };
  }
  const groups: Group[] = [];
  for (const part of rewriteHyphenRanges(text, dialect).split('||')) {
    const group =
      dialect === '1.5.0' ? parseCommaSeparated(part) : parseCommaOrSpaceSeparated(part);
    if (typeof group === 'string') return { invalid: true, text, dialect, error: group };
    groups.push(group);
  }
  const checks = groups.map((group) => checksOf(group, dialect));
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
function parseCommaSeparated(part: string): Group | string {
  const group: Comparator[] = [];
  for (const piece of part.split(',')) {
    const scanned = scanComparator(piece, skipSpaces(piece, 0));
    if (scanned === undefined || skipSpaces(piece, scanned.end) !== piece.length) {
      return `improper constraint: ${piece}`;
    }
    const comparator = toComparator(scanned, '1.5.0');
    if (comparator === undefined) return 'constraint Parser Error';
    group.push(comparator);
  }
  return group;
}

/** Returns an error message if the text is invalid. Errors of the scan come first. */
function parseCommaOrSpaceSeparated(part: string): Group | string {
  const scanned: ScannedComparator[] = [];
  let at = skipSpaces(part, 0);
  for (;;) {
    const comparator = scanComparator(part, at);
    if (comparator === undefined) return `improper constraint: ${part}`;
    scanned.push(comparator);
    const next = skipSpaces(part, comparator.end);
    if (next === part.length) break;
    const comma = part.startsWith(',', next);
    if (!comma && next === comparator.end) return `improper constraint: ${part}`;
    at = comma ? skipSpaces(part, next + 1) : next;
  }
  const group = scanned.map((comparator) => toComparator(comparator, '3.4.0'));
  return group.every((comparator) => comparator !== undefined) ? group : 'constraint parser error';
}

function checksOf(group: Group, dialect: Dialect) {
  return group.map((comparator) => ({
    comparator,
    check: CHECKS[dialect][comparator.operator],
    closed: refusesPrereleases(comparator, group, dialect),
  }));
}

/** Whether a version satisfies one comparator. Prereleases compare like any other version. */
export function passesComparator(
  version: Version,
  comparator: Comparator,
  dialect: Dialect,
): boolean {
  return CHECKS[dialect][comparator.operator](version, comparator);
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

/** The constraint or version that a user would move away from. */
interface Current {
  readonly asked: string;
  readonly dialect: Dialect;
}

/**
 * Sorts versions by how close they are to a constraint: first those between its lowest and highest
 * version, newest first; then those above, lowest first; then those below, highest first. If the
 * text is not a constraint: newest first.
 */
export function nearestFirst(
  versions: readonly Version[],
  { asked, dialect }: Current,
): readonly Version[] {
  const newest = versions.toSorted((a, b) => compareVersions(b, a));
  const bounds = boundsOf(newest, { asked, dialect });
  if (bounds === undefined) return newest;
  const above = newest.filter((version) => compareVersions(version, bounds.highest) > 0);
  const below = newest.filter((version) => compareVersions(version, bounds.lowest) < 0);
  const within = newest.slice(above.length, newest.length - below.length);
  return [...within, ...above.toReversed(), ...below];
}

/** Whether a version is below every version that a constraint names or admits. */
export function isBelow(version: Version, versions: readonly Version[], left: Current): boolean {
  const bounds = boundsOf(versions, left);
  return bounds !== undefined && compareVersions(version, bounds.lowest) < 0;
}

/** Returns the lowest and highest version that a constraint names or admits, if any. */
function boundsOf(
  versions: readonly Version[],
  { asked, dialect }: Current,
): { readonly lowest: Version; readonly highest: Version } | undefined {
  const constraint = parseConstraint(asked, dialect);
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
