import type { Comparator } from './constraint-syntax.js';
import {
  type Constraint,
  type Group,
  type InvalidConstraint,
  isZero,
  namesPrerelease,
  parseConstraint,
  passesComparator,
  refusesPrereleases,
} from './constraint.js';
import { type Dialect, dialectRules } from './dialects.js';
import { compareAsGo, formatVersion, type Segment, type Version } from './version.js';
import { isDigest } from '../../base/digest.js';
import { releaseFacts } from '../releases/release-facts.js';

/**
 * Writes a constraint with full versions, `>=1.2.0, <1.3.0`, so that both dialects read it alike.
 *
 * The result is correct for releases. One case cannot be written as a constraint: 1.5.0 compares
 * the major and minor of `<1.2.x` independently, which is written `major <= 1, minor <= 2`.
 */
export function meaningOf({ groups, dialect }: Constraint): string {
  return groups
    .map((group) => group.map((comparator) => comparatorMeaning(comparator, dialect)).join(', '))
    .join(' || ');
}

function comparatorMeaning(comparator: Comparator, dialect: Dialect): string {
  const bound = formatVersion({ ...comparator.bound, metadata: '' });
  switch (comparator.operator) {
    case '':
    case '=':
      return comparator.wildcard === 'none' ? `=${bound}` : tildeRange(comparator, bound);
    case '~':
    case '~>':
      return tildeRange(comparator, bound);
    case '>=':
    case '=>':
      return `>=${bound}`;
    case '!=':
      return notEqual(comparator, bound, dialect);
    case '>':
      return isFirstGeneration(dialect) ? `>${bound}` : greaterThan(comparator, bound);
    case '<':
      return isFirstGeneration(dialect) && comparator.wildcard !== 'none'
        ? lessOrEqual(comparator, dialect)
        : `<${bound}`;
    case '<=':
    case '=<':
      return comparator.wildcard === 'none' ? `<=${bound}` : lessOrEqual(comparator, dialect);
    case '^':
      return `>=${bound}, <${caretEnd(comparator, dialect)}`;
    default:
      return comparator.operator satisfies never;
  }
}

function tildeRange({ bound, wildcard }: Comparator, text: string): string {
  if (isZero(bound) && (wildcard === 'none' || wildcard === 'major')) return `>=${text}`;
  return `>=${text}, <${wildcard === 'minor' ? nextMajor(bound) : nextMinor(bound)}`;
}

function notEqual({ bound, wildcard }: Comparator, text: string, dialect: Dialect): string {
  if (wildcard === 'minor') return `!=${bound.major}.x`;
  const namesPrereleaseInV3 = !isFirstGeneration(dialect) && bound.prerelease !== '';
  if (wildcard === 'patch' && !namesPrereleaseInV3) return `!=${bound.major}.${bound.minor}.x`;
  return wildcard === 'major' && isFirstGeneration(dialect) ? '!=0.0.x' : `!=${text}`;
}

function greaterThan({ bound, wildcard }: Comparator, text: string): string {
  if (wildcard === 'minor') return `>=${nextMajor(bound)}`;
  return wildcard === 'patch' ? `>=${nextMinor(bound)}` : `>${text}`;
}

function lessOrEqual({ bound, wildcard }: Comparator, dialect: Dialect): string {
  if (wildcard === 'minor') return `<${nextMajor(bound)}`;
  if (!isFirstGeneration(dialect) || bound.major === 0) return `<${nextMinor(bound)}`;
  return `major <= ${bound.major}, minor <= ${bound.minor}`;
}

function caretEnd({ bound, wildcard }: Comparator, dialect: Dialect): string {
  if (isFirstGeneration(dialect) || bound.major > 0 || wildcard === 'minor')
    return nextMajor(bound);
  if (bound.minor > 0 || wildcard === 'patch') return nextMinor(bound);
  return `0.0.${next(bound.patch)}`;
}

function nextMajor({ major }: Version): string {
  return `${next(major)}.0.0`;
}

function nextMinor({ major, minor }: Version): string {
  return `${major}.${next(minor)}.0`;
}

function next(segment: Segment): bigint {
  return BigInt(segment) + 1n;
}

/** Returns what the comparator means with the other dialect, or undefined if it means the same. */
function meaningInOtherDialect(comparator: Comparator, dialect: Dialect): string | undefined {
  const { before, line, dialect: newer } = secondGeneration();
  const [elsewhere, where] = isFirstGeneration(dialect)
    ? [newer, `from ${line} on`]
    : [before, `before ${line}`];
  const parsed = parseConstraint(comparator.text, elsewhere);
  if (parsed.invalid) return undefined;
  const meaning = meaningOf(parsed);
  return meaning === comparatorMeaning(comparator, dialect) ? undefined : `\`${meaning}\` ${where}`;
}

interface SecondGeneration {
  /** The first minor version of Crossplane with it, and its dialect. */
  readonly line: string;
  readonly dialect: Dialect;
  /** The dialect of the releases before. */
  readonly before: Dialect;
}

/** Returns where Crossplane changed from release 1 of the library to release 3. */
function secondGeneration(): SecondGeneration {
  const lines = releaseFacts().lines.map(({ line, releases }) => ({
    line,
    dialect: releases[0]!.rules.dialect,
  }));
  const at = lines.findIndex(({ dialect }) => !isFirstGeneration(dialect));
  return { ...lines[at]!, before: lines[at - 1]!.dialect };
}

function isFirstGeneration(dialect: Dialect): boolean {
  return dialectRules(dialect).generation === 1;
}

const MAX_REASONS_SHOWN = 3;

/** Returns why a version is not admitted, as a clause after its name, or undefined if it is. */
export function whyNot(constraint: Constraint, version: Version): string | undefined {
  if (constraint.admits(version)) return undefined;
  if (constraint.admits(version, { prereleases: true })) {
    const suggestion = withPrereleases(constraint, version);
    const fix = suggestion === undefined ? '' : `; write \`${suggestion}\``;
    return `excluded because it is a prerelease${fix}`;
  }
  const reasons = new Set(
    constraint.groups.map((group) => whyNotInGroup(group, version, constraint)),
  );
  const shown = [...reasons].slice(0, MAX_REASONS_SHOWN).join(' and ');
  const more = reasons.size - MAX_REASONS_SHOWN;
  return more > 0 ? `${shown} and so on for ${more} more` : shown;
}

function whyNotInGroup(group: Group, version: Version, { dialect }: Constraint): string {
  const failed = group.find((comparator) => !passesComparator(version, comparator, dialect))!;
  const meaning = comparatorMeaning(failed, dialect);
  const reason = `${relationTo(failed, version)} \`${failed.text}\``;
  // Some comparators already state their meaning: `>=v1.2.0`.
  const operatorAndBound = failed.text.replace(/[\sv]/g, '');
  if (meaning === (failed.operator === '' ? `=${operatorAndBound}` : operatorAndBound))
    return reason;
  const elsewhere = meaningInOtherDialect(failed, dialect);
  const contrast = elsewhere === undefined ? '' : ` on this Crossplane (${elsewhere})`;
  return `${reason}, which means \`${meaning}\`${contrast}`;
}

function relationTo({ operator, bound, wildcard }: Comparator, version: Version): string {
  const below = compareAsGo(version, bound) < 0;
  if (operator === '!=') return 'ruled out by';
  if (operator === '>') return 'not above';
  if (operator === '<') return below ? 'outside' : 'not below';
  if (operator === '<=' || operator === '=<') return below ? 'outside' : 'above';
  const exact = (operator === '' || operator === '=') && wildcard === 'none';
  if (exact) return 'not';
  return below ? 'below' : 'above';
}

/** Returns the text with a prerelease on each comparator; undefined if it rejects `version`. */
function withPrereleases({ groups, dialect }: Constraint, version: Version): string | undefined {
  const text = groups.map((group) => group.map(withPrerelease).join(', ')).join(' || ');
  const opened = parseConstraint(text, dialect);
  return !opened.invalid && opened.admits(version) ? text : undefined;
}

/** `-0` is the lowest prerelease, so it moves a lower bound the least. */
function withPrerelease(comparator: Comparator): string {
  if (comparator.wildcard === 'major') return '>=0.0.0-0';
  if (comparator.bound.prerelease !== '') return comparator.text;
  const [before, metadata] = comparator.text.split('+');
  return `${before}-0${metadata === undefined ? '' : `+${metadata}`}`;
}

/** Returns a sentence for each part of a constraint whose meaning surprises most readers. */
export function surprises(constraint: Constraint): readonly string[] {
  const sentences = constraint.groups.flatMap((group) => [
    ...group.flatMap((comparator) => comparatorSurprises(comparator, constraint)),
    ...prereleaseSurprises(group, constraint),
  ]);
  return [...new Set(sentences)];
}

function comparatorSurprises(comparator: Comparator, { dialect }: Constraint): readonly string[] {
  const { text, operator, bound, wildcard } = comparator;
  const meaning = comparatorMeaning(comparator, dialect);
  const elsewhere = meaningInOtherDialect(comparator, dialect);
  if (elsewhere !== undefined) {
    return [`\`${text}\` means \`${meaning}\` on this Crossplane, ${elsewhere}`];
  }
  if (operator.startsWith('~') && wildcard === 'none' && isZero(bound)) {
    return [`\`${text}\` has no upper end: it means \`${meaning}\``];
  }
  return [];
}

function prereleaseSurprises(group: Group, { dialect }: Constraint): readonly string[] {
  const isNamed = group.some(namesPrerelease);
  if (!isFirstGeneration(dialect)) return isNamed ? upperBoundSurprises(group) : [];
  const refusingPrereleases = group.filter((comparator) =>
    refusesPrereleases(comparator, group, dialect),
  );
  if (refusingPrereleases.length === 0 && !isNamed) {
    return [
      `\`${group[0]!.text}\` admits every prerelease on this Crossplane, none from ${secondGeneration().line} on`,
    ];
  }
  if (refusingPrereleases.length === 0 || !isNamed) return [];
  const names = refusingPrereleases.map(({ text }) => `\`${text}\``).join(', ');
  return [
    `no prerelease is admitted: on this Crossplane each comparator must name one, and ${names} does not; ` +
      `write \`${group.map(withPrerelease).join(', ')}\``,
  ];
}

function upperBoundSurprises(group: Group): readonly string[] {
  return group
    .filter((c) => c.operator === '<' && c.wildcard === 'none' && !namesPrerelease(c))
    .map(
      (c) =>
        `\`${c.text}\` admits prereleases of that very version; write \`${withPrerelease(c)}\` to leave them out`,
    );
}

/** Returns what to write instead of text that the dialect rejects. */
export function adviceFor({ text, dialect, error }: InvalidConstraint): string {
  if (text.trim() === '') return 'write `>=0.0.0` for any release';
  if (isDigest(text)) return 'this is a digest: it names one package, and is no range';
  const { maxConstraintBytes, maxGroups } = dialectRules(dialect);
  if (maxGroups !== undefined && error.includes('(max ')) {
    return `this Crossplane limits a constraint to ${maxConstraintBytes} bytes and ${maxGroups} groups between \`||\``;
  }
  const commas = isFirstGeneration(dialect) ? withCommas(text) : undefined;
  if (commas !== undefined) {
    return `a blank means "and" only from Crossplane ${secondGeneration().line} on; write a comma: \`${commas}\``;
  }
  const fixed = FIXES.map((fix) => fix(text)).find((t) => !parseConstraint(t, dialect).invalid);
  if (fixed !== undefined) return `write \`${fixed}\``;
  return 'a range is made of comparators such as `>=v1.2.0`, `<v2.0.0` or `^v1.2`, with a comma for and, `||` for or';
}

function withCommas(text: string): string | undefined {
  const { dialect, before } = secondGeneration();
  const parsed = parseConstraint(text, dialect);
  if (parsed.invalid) return undefined;
  const commas = parsed.groups
    .map((group) => group.map((comparator) => comparator.text).join(', '))
    .join(' || ');
  return parseConstraint(commas, before).invalid ? undefined : commas;
}

const FIXES: readonly ((text: string) => string)[] = [
  (text) => text.trim(),
  (text) => text.replaceAll('==', '='),
  (text) => text.replaceAll('&&', ','),
  (text) => text.replaceAll('V', 'v'),
  (text) => text.replace(/,$/, ''),
  (text) => text.replace(/-0+([0-9])/g, '-$1').replace(/\.0+([0-9])/g, '.$1'),
];

/** Returns why an old Crossplane admits more versions for `^v0.9.0` and the like, if it does. */
export function surpriseOfOldDialect(text: string, version: Version, dialect: Dialect) {
  const here = parseConstraint(text, dialect);
  const newer = parseConstraint(text, secondGeneration().dialect);
  if (here.invalid || newer.invalid || version.prerelease !== '') return undefined;
  return newer.admits(version) ? undefined : surprises(here)[0];
}
