import type { Comparator } from './comparator.js';
import { isZero } from './checks/comparator-check.js';
import { parseConstraint, type Constraint } from './constraint.js';
import type { Dialect } from './dialect.js';
import { formatVersion, type Segment, type Version } from './version.js';

/**
 * A constraint spelled out in full versions, `>=1.2.0, <1.3.0`, so that both dialects read it alike.
 *
 * It holds for releases. One meaning no constraint can spell: 1.5.0 holds `<1.2.x` against major
 * and minor each on its own, which is told as `major <= 1, minor <= 2`.
 */
export function meaningOf({ groups, dialect }: Constraint): string {
  return groups
    .map((group) => group.map((comparator) => comparatorMeaning(comparator, dialect)).join(', '))
    .join(' || ');
}

export function comparatorMeaning(comparator: Comparator, dialect: Dialect): string {
  const bound = formatVersion({ ...comparator.bound, metadata: '' });
  switch (comparator.operator) {
    case '':
    case '=':
      return comparator.wildcard === 'none' ? `=${bound}` : tilde(comparator, bound);
    case '~':
    case '~>':
      return tilde(comparator, bound);
    case '>=':
    case '=>':
      return `>=${bound}`;
    case '!=':
      return other(comparator, bound, dialect);
    case '>':
      return dialect === '1.5.0' ? `>${bound}` : above(comparator, bound);
    case '<':
      return dialect === '1.5.0' && comparator.wildcard !== 'none'
        ? upTo(comparator, dialect)
        : `<${bound}`;
    case '<=':
    case '=<':
      return comparator.wildcard === 'none' ? `<=${bound}` : upTo(comparator, dialect);
    case '^':
      return `>=${bound}, <${caretEnd(comparator, dialect)}`;
    default:
      return comparator.operator satisfies never;
  }
}

function tilde({ bound, wildcard }: Comparator, text: string): string {
  if (isZero(bound) && (wildcard === 'none' || wildcard === 'major')) return `>=${text}`;
  return `>=${text}, <${wildcard === 'minor' ? nextMajor(bound) : nextMinor(bound)}`;
}

function other({ bound, wildcard }: Comparator, text: string, dialect: Dialect): string {
  if (wildcard === 'minor') return `!=${bound.major}.x`;
  const ofThatPrereleaseOnly = dialect === '3.4.0' && bound.prerelease !== '';
  if (wildcard === 'patch' && !ofThatPrereleaseOnly) return `!=${bound.major}.${bound.minor}.x`;
  return wildcard === 'major' && dialect === '1.5.0' ? '!=0.0.x' : `!=${text}`;
}

function above({ bound, wildcard }: Comparator, text: string): string {
  if (wildcard === 'minor') return `>=${nextMajor(bound)}`;
  return wildcard === 'patch' ? `>=${nextMinor(bound)}` : `>${text}`;
}

function upTo({ bound, wildcard }: Comparator, dialect: Dialect): string {
  if (wildcard === 'minor') return `<${nextMajor(bound)}`;
  if (dialect === '3.4.0' || bound.major === 0) return `<${nextMinor(bound)}`;
  return `major <= ${bound.major}, minor <= ${bound.minor}`;
}

function caretEnd({ bound, wildcard }: Comparator, dialect: Dialect): string {
  if (dialect === '1.5.0' || bound.major > 0 || wildcard === 'minor') return nextMajor(bound);
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

/** What the comparator means on the other side of Crossplane v2.3, if that is something else. */
export function meaningElsewhere(comparator: Comparator, dialect: Dialect): string | undefined {
  const [elsewhere, where] = OTHER_SIDE[dialect];
  const parsed = parseConstraint(comparator.text, elsewhere);
  if (parsed.invalid) return undefined;
  const meaning = meaningOf(parsed);
  return meaning === comparatorMeaning(comparator, dialect) ? undefined : `\`${meaning}\` ${where}`;
}

const OTHER_SIDE: Readonly<Record<Dialect, readonly [dialect: Dialect, where: string]>> = {
  '1.5.0': ['3.4.0', 'from v2.3 on'],
  '3.4.0': ['1.5.0', 'before v2.3'],
};
