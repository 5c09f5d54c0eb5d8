import type { Target } from '../../src/model/target/target.js';
import { parseConstraint } from '../../src/semver/constraint.js';
import { parseVersion } from '../../src/semver/version.js';
import type { OracleQuestion, OracleVerdict } from '../rig/oracle/ask-oracle.js';

/** Where our reading of a constraint differs from that of the release's library; empty: nowhere. */
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
