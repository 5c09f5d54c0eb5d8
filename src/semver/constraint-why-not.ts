import type { Comparator } from './comparator.js';
import { parseConstraint, passesComparator, type Constraint, type Group } from './constraint.js';
import { comparatorMeaning, meaningElsewhere } from './constraint-meaning.js';
import { compareAsGo, type Version } from './version.js';

const MAX_REASONS_SHOWN = 3;

/** Why a version is not admitted, in a clause that can follow its name; undefined if it is. */
export function whyNot(constraint: Constraint, version: Version): string | undefined {
  if (constraint.admits(version)) return undefined;
  if (constraint.admits(version, { prereleases: true })) {
    const opened = withPrereleases(constraint, version);
    const cure = opened === undefined ? '' : `; write \`${opened}\``;
    return `excluded because it is a prerelease${cure}`;
  }
  const reasons = constraint.groups.map((group) => whyNotGroup(group, version, constraint));
  return joinReasons([...new Set(reasons)]);
}

function whyNotGroup(group: Group, version: Version, { dialect }: Constraint): string {
  const failed = group.find((comparator) => !passesComparator(version, comparator, dialect))!;
  const meaning = comparatorMeaning(failed, dialect);
  const reason = `${side(failed, version)} \`${failed.text}\``;
  if (isSpelledOut(failed, meaning)) return reason;
  const elsewhere = meaningElsewhere(failed, dialect);
  const contrast = elsewhere === undefined ? '' : ` on this Crossplane (${elsewhere})`;
  return `${reason}, which means \`${meaning}\`${contrast}`;
}

function side({ operator, bound, wildcard }: Comparator, version: Version): string {
  const below = compareAsGo(version, bound) < 0;
  if (operator === '!=') return 'ruled out by';
  if (operator === '>') return 'not above';
  if (operator === '<') return below ? 'outside' : 'not below';
  if (operator === '<=' || operator === '=<') return below ? 'outside' : 'above';
  const exact = (operator === '' || operator === '=') && wildcard === 'none';
  if (exact) return 'not';
  return below ? 'below' : 'above';
}

/** The comparator says itself what it means: `>=v1.2.0`. */
function isSpelledOut({ text, operator }: Comparator, meaning: string): boolean {
  const bare = text.replace(/[\sv]/g, '');
  return meaning === (operator === '' ? `=${bare}` : bare);
}

function joinReasons(reasons: readonly string[]): string {
  const shown = reasons.slice(0, MAX_REASONS_SHOWN).join(' and ');
  const more = reasons.length - MAX_REASONS_SHOWN;
  return more > 0 ? `${shown} and so on for ${more} more` : shown;
}

/** The constraint with a prerelease named in each comparator, if that is enough to admit `version`. */
function withPrereleases({ groups, dialect }: Constraint, version: Version): string | undefined {
  const text = groups.map((group) => group.map(openComparator).join(', ')).join(' || ');
  const opened = parseConstraint(text, dialect);
  return !opened.invalid && opened.admits(version) ? text : undefined;
}

/** `-0` is the least prerelease there is, so that it moves a lower bound the least. */
export function openComparator(comparator: Comparator): string {
  if (comparator.wildcard === 'major') return '>=0.0.0-0';
  if (comparator.bound.prerelease !== '') return comparator.text;
  const [before, metadata] = comparator.text.split('+');
  return `${before}-0${metadata === undefined ? '' : `+${metadata}`}`;
}
