import { parseConstraint, type Selector, selectorText } from './constraint.js';
import { compareVersions, isIncomplete, parseVersion, type Version } from './version.js';
import { byCodePoint } from '../../base/collections.js';
import type { Target } from '../releases/target.js';
import type { TargetRules } from '../releases/release-facts.js';

export type TagRules = Pick<TargetRules, 'dialect' | 'skipsIncompleteTags'>;

/** Returns the tags that are versions for the target, newest first. */
export function installableVersions(
  tags: readonly string[],
  { rules }: { readonly rules: TagRules },
): Version[] {
  return tags
    .flatMap((tag) => parseVersion(tag, rules.dialect) ?? [])
    .filter((version) => !(rules.skipsIncompleteTags && isIncomplete(version)))
    .sort((a, b) => compareVersions(b, a) || byCodePoint(b.raw, a.raw));
}

/** The admitted prereleases: those that a range names, or all, as for locked packages. */
type Prereleases = 'named' | 'all';

export function satisfies(
  version: string,
  selector: Selector,
  { rules }: Target,
  prereleases: Prereleases,
): boolean {
  if (selector.form !== 'range') return version === selectorText(selector);
  const constraint = parseConstraint(selector.text, rules.dialect);
  const parsed = parseVersion(version, rules.dialect);
  if (constraint.invalid || parsed === undefined) return false;
  return constraint.admits(parsed, { prereleases: prereleases === 'all' });
}
