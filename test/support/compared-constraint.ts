import type { Target } from '../../src/crossplane/releases/target.js';
import { parseConstraint } from '../../src/crossplane/constraints/constraint.js';
import { parseVersion } from '../../src/crossplane/constraints/version.js';
import type { OracleQuestion, OracleVerdict } from '../rig/oracle/ask-oracle.js';

/**
 * Returns the differences between our parsing of a constraint and that of the release's library.
 */
export function compareConstraint(
  { constraint, versions }: OracleQuestion,
  { rules }: Target,
  theirs: OracleVerdict,
): string[] {
  const ours = parseConstraint(constraint, rules.dialect);
  const error = ours.invalid ? ours.error : undefined;
  const shown = JSON.stringify(constraint);
  if (error !== theirs.error) return [`${shown}: we say ${error}, Crossplane ${theirs.error}`];
  return versions.flatMap((text, i) => {
    const version = parseVersion(text, rules.dialect);
    const admits = version === undefined ? 'x' : !ours.invalid && ours.admits(version) ? '1' : '0';
    const want = theirs.admits[i];
    return admits === want
      ? []
      : [`${shown} on ${JSON.stringify(text)}: we say ${admits}, Crossplane ${want}`];
  });
}
