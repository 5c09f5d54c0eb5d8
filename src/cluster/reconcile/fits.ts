import type { Target } from '../../model/target/target.js';
import { parseConstraint } from '../../semver/constraint.js';
import type { Dialect } from '../../semver/dialect.js';
import { parseVersion } from '../../semver/version.js';
import { isDigest } from '../../text/digest.js';

/** What Go's library says of text that is no version. */
const NO_VERSION: Readonly<Record<Dialect, string>> = {
  '1.5.0': 'Invalid Semantic Version',
  '3.4.0': 'invalid semantic version',
};

/** Whether an installed version meets a constraint, as a package manager compares them. */
export type Fit =
  | { readonly fits: boolean }
  /** The two cannot be compared, and this is said of it. */
  | { readonly error: string };

export function fitOf(version: string, constraint: string, { rules }: Target): Fit {
  if (rules.digestDependencies && isDigest(constraint)) return { fits: version === constraint };
  const range = parseConstraint(constraint, rules.dialect);
  if (range.invalid) return { error: range.error };
  const parsed = parseVersion(version, rules.dialect);
  if (parsed === undefined) return { error: NO_VERSION[rules.dialect] };
  return { fits: range.admits(parsed) };
}

export function fits(version: string, constraint: string, target: Target): boolean {
  const fit = fitOf(version, constraint, target);
  return 'fits' in fit && fit.fits;
}
