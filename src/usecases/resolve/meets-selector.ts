import { parseConstraint } from '../../semver/constraint.js';
import type { Target } from '../../model/target/target.js';
import { parseVersion } from '../../semver/version.js';
import { selectorText, type Selector } from '../../model/selector.js';

/** Whether a locked version is among those wanted. */
export function meetsSelector(version: string, selector: Selector, { rules }: Target): boolean {
  if (selector.form !== 'range') return version === selectorText(selector);
  const constraint = parseConstraint(selector.text, rules.dialect);
  const parsed = parseVersion(version, rules.dialect);
  if (constraint.invalid || parsed === undefined) return false;
  // Whether prereleases were admitted when it was locked is not recorded: give it the benefit.
  return constraint.admits(parsed, { prereleases: true });
}
