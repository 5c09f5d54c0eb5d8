import { parseConstraint } from '../../semver/constraint.js';
import type { Target } from '../../model/target.js';
import { parseVersion } from '../../semver/version.js';
import { wantText, type Want } from '../../model/want.js';

/** Whether a locked version is among those wanted. */
export function meetsWant(version: string, want: Want, { rules }: Target): boolean {
  if (want.form !== 'range') return version === wantText(want);
  const constraint = parseConstraint(want.text, rules.dialect);
  const parsed = parseVersion(version, rules.dialect);
  if (constraint.invalid || parsed === undefined) return false;
  // Whether prereleases were admitted when it was locked is not recorded: give it the benefit.
  return constraint.admits(parsed, { prereleases: true });
}
