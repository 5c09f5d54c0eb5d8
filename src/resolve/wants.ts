import { parseConstraint } from '../model/constraint.js';
import { isDigest } from '../model/package.js';
import type { Target } from '../model/target.js';
import { parseVersion } from '../model/version.js';
import type { Want } from '../solver/problem.js';
import { wantText } from '../solver/sentences.js';

/** Whether a locked version is among those wanted. */
export function meetsWant(version: string, want: Want, { rules }: Target): boolean {
  if (want.form !== 'range') return version === wantText(want);
  const constraint = parseConstraint(want.text, rules.dialect);
  const parsed = parseVersion(version, rules.dialect);
  if (constraint.invalid || parsed === undefined) return false;
  // Whether prereleases were admitted when it was locked is not recorded: give it the benefit.
  return constraint.admits(parsed, { prereleases: true });
}

/** What a dependsOn entry's words ask for. */
export function constraintWant(constraint: string): Want {
  return isDigest(constraint)
    ? { form: 'digest', digest: constraint }
    : { form: 'range', text: constraint };
}
