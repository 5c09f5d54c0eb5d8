import { surprises } from './constraint-advice.js';
import { parseConstraint } from './constraint.js';
import type { Dialect } from './dialect.js';
import type { Version } from './version.js';

/**
 * Why an old Crossplane takes a version for a range that a newer one does not, in one sentence: it
 * reads `^v0.9.0` up to v1. undefined: it does not.
 */
export function reachesFurther(text: string, version: Version, dialect: Dialect) {
  const [here, newer] = [parseConstraint(text, dialect), parseConstraint(text, '3.4.0')];
  if (here.invalid || newer.invalid || version.prerelease !== '') return undefined;
  return newer.admits(version) ? undefined : surprises(here)[0];
}
