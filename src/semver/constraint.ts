import { toComparator, type Comparator } from './comparator.js';
import type { Check } from './checks/comparator-check.js';
import {
  scanComparator,
  skipBlanks,
  type Operator,
  type ScannedComparator,
} from './constraint-scanner.js';
import { rewriteHyphenRanges } from './hyphen-range.js';
import { isClosed } from './prerelease-gate.js';
import { CHECKS_1_5_0 } from './checks/checks-1.5.0.js';
import { CHECKS_3_4_0 } from './checks/checks-3.4.0.js';
import type { Dialect } from './dialect.js';
import type { Version } from './version.js';

/** Which versions will do, as one dialect of Masterminds/semver reads `text`. */
export interface Constraint {
  readonly invalid: false;
  /** As written. */
  readonly text: string;
  readonly dialect: Dialect;
  /** A version is admitted by all comparators of any one group. */
  readonly groups: readonly Group[];
  /** `prereleases: true` lets prereleases compare as any other version. */
  admits(version: Version, options?: AdmitOptions): boolean;
}

export type Group = readonly Comparator[];

interface AdmitOptions {
  readonly prereleases?: boolean;
}

/** Text that the dialect refuses. */
export interface InvalidConstraint {
  readonly invalid: true;
  readonly text: string;
  readonly dialect: Dialect;
  /** As Crossplane would report it. */
  readonly error: string;
}

/** Longer text is refused unread: constraints come with packages, which may be hostile. */
export const MAX_CONSTRAINT_LENGTH = 4096;

const CHECKS: Readonly<Record<Dialect, Readonly<Record<Operator, Check>>>> = {
  '1.5.0': CHECKS_1_5_0,
  '3.4.0': CHECKS_3_4_0,
};

/** Packages, and the versions of one, say the same again and again: what was read is kept. */
export function parseConstraint(text: string, dialect: Dialect): Constraint | InvalidConstraint {
  const kept = KEPT[dialect];
  const known = kept.get(text);
  if (known !== undefined) return known;
  const parsed = readConstraint(text, dialect);
  if (kept.size >= MAX_KEPT) kept.clear();
  if (text.length <= MAX_KEPT_LENGTH) kept.set(text, parsed);
  return parsed;
}

const KEPT: Readonly<Record<Dialect, Map<string, Constraint | InvalidConstraint>>> = {
  '1.5.0': new Map(),
  '3.4.0': new Map(),
};
const MAX_KEPT = 10_000;
const MAX_KEPT_LENGTH = 200;

function readConstraint(text: string, dialect: Dialect): Constraint | InvalidConstraint {
  if (text.length > MAX_CONSTRAINT_LENGTH) {
    const error = `improper constraint: longer than ${MAX_CONSTRAINT_LENGTH} characters`;
    return { invalid: true, text, dialect, error };
  }
  const groups: Group[] = [];
  for (const part of rewriteHyphenRanges(text, dialect).split('||')) {
    const group = dialect === '1.5.0' ? commaSeparated(part) : commaOrBlankSeparated(part);
    if (typeof group === 'string') return { invalid: true, text, dialect, error: group };
    groups.push(group);
  }
  const gated = groups.map((group) => gatedComparators(group, dialect));
  return {
    invalid: false,
    text,
    dialect,
    groups,
    admits: (version, options) => {
      const open = version.prerelease === '' || options?.prereleases === true;
      return gated.some((group) => passes(group, version, open));
    },
  };
}

/** A string says what is wrong. */
function commaSeparated(part: string): Group | string {
  const group: Comparator[] = [];
  for (const piece of part.split(',')) {
    const scanned = scanComparator(piece, skipBlanks(piece, 0));
    if (scanned === undefined || skipBlanks(piece, scanned.end) !== piece.length) {
      return `improper constraint: ${piece}`;
    }
    const comparator = toComparator(scanned, '1.5.0');
    if (comparator === undefined) return 'constraint Parser Error';
    group.push(comparator);
  }
  return group;
}

/** A string says what is wrong. The whole part is scanned first: its error is told first. */
function commaOrBlankSeparated(part: string): Group | string {
  const scanned: ScannedComparator[] = [];
  let at = skipBlanks(part, 0);
  for (;;) {
    const comparator = scanComparator(part, at);
    if (comparator === undefined) return `improper constraint: ${part}`;
    scanned.push(comparator);
    const next = skipBlanks(part, comparator.end);
    if (next === part.length) break;
    const comma = part.startsWith(',', next);
    if (!comma && next === comparator.end) return `improper constraint: ${part}`;
    at = comma ? skipBlanks(part, next + 1) : next;
  }
  const group = scanned.map((comparator) => toComparator(comparator, '3.4.0'));
  return group.every((comparator) => comparator !== undefined) ? group : 'constraint parser error';
}

interface GatedComparator {
  readonly comparator: Comparator;
  readonly check: Check;
  /** Refuses every prerelease. */
  readonly closed: boolean;
}

function gatedComparators(group: Group, dialect: Dialect): readonly GatedComparator[] {
  return group.map((comparator) => ({
    comparator,
    check: CHECKS[dialect][comparator.operator],
    closed: isClosed(comparator, group, dialect),
  }));
}

function passes(group: readonly GatedComparator[], version: Version, open: boolean): boolean {
  return group.every(
    ({ comparator, check, closed }) => (open || !closed) && check(version, comparator),
  );
}

/** Whether one comparator lets a version pass, prereleases compared as any other version. */
export function passesComparator(
  version: Version,
  comparator: Comparator,
  dialect: Dialect,
): boolean {
  return CHECKS[dialect][comparator.operator](version, comparator);
}

/** Whether any prerelease at all may be admitted. */
export function admitsPrereleases({ groups, dialect }: Constraint): boolean {
  return groups.some((group) => !group.some((c) => isClosed(c, group, dialect)));
}
