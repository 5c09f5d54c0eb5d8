import { selectorText, type Selector } from '../../model/selector.js';
import type { Target } from '../../model/target/target.js';
import { parseConstraint } from '../../semver/constraint.js';
import { parseVersion } from '../../semver/version.js';

/**
 * Which prereleases a range admits: those it names itself, as a cluster checks dependencies, or all
 * of them. All is right for what is locked: that a prerelease was asked for is not recorded.
 */
type Prereleases = 'named' | 'all';

/** Whether a version is among those that a selector asks for. */
export function meetsSelector(
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
