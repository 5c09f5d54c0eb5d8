// Written twice on purpose: output is judged here by rules of its own, so that a mistake in bundle or lock shows.
import { parseConstraint } from '../../semver/constraint.js';
import { isDigest } from '../../text/digest.js';
import { sameRepository } from '../../model/reference.js';
import type { Target } from '../../model/target/target.js';
import { parseVersion } from '../../semver/version.js';
import { edgesOf, skips, type InstalledEdge, type InstalledSet } from './installed-set.js';
import type { AcceptanceProblem } from './acceptance-problem.js';

/** What skips is not in the Lock, and thereby missing to everything that does not. */
export function mixedSkips(set: InstalledSet): readonly string[] {
  const skipping = set.installed.filter(skips);
  if (set.skips || skipping.length === 0) return [];
  return skipping.map(({ source }) => `\`${source}\` skips dependency resolution, others do not`);
}

/** Dependencies that the cluster would find missing, of the wrong kind, or unfit. */
export function edgeProblems(set: InstalledSet): readonly AcceptanceProblem[] {
  return set.skips ? [] : edgesOf(set).flatMap((edge) => edgeProblem(edge, set) ?? []);
}

function edgeProblem(edge: InstalledEdge, set: InstalledSet): AcceptanceProblem | undefined {
  const { parent, requirement, child } = edge;
  const asks = `\`${parent.source}\` asks for \`${requirement.repository}\``;
  if (child === undefined) {
    const other = set.installed.find(({ source }) =>
      sameRepository(source, requirement.repository, set.target),
    );
    const spelled = other === undefined ? '' : `, which is spelled \`${other.source}\``;
    return { rule: 'dependency-missing', message: `${asks}${spelled}: it is not installed` };
  }
  if (child.kind !== requirement.kind) {
    const message = `${asks} as a ${requirement.kind}; it is a ${child.kind}`;
    return { rule: 'dependency-kind', message };
  }
  const reason = unfit(requirement.constraint, child.version, set.target);
  if (reason === undefined) return undefined;
  const rootByDigest = child.locked?.direct === true && isDigest(child.version);
  return {
    rule:
      rootByDigest && !isDigest(requirement.constraint) ? 'root-by-digest' : 'dependency-version',
    message: `${asks} \`${requirement.constraint}\`: ${reason}`,
  };
}

/** As the package manager compares them: digests as text, all else as semver. */
function unfit(constraint: string, version: string, { rules }: Target): string | undefined {
  if (rules.digestDependencies && isDigest(constraint)) {
    return version === constraint ? undefined : `\`${version}\` is not that digest`;
  }
  const range = parseConstraint(constraint, rules.dialect);
  if (range.invalid) return range.error;
  const installed = parseVersion(version, rules.dialect);
  if (installed === undefined) return `\`${version}\` is not a version`;
  return range.admits(installed) ? undefined : `\`${version}\` does not fit`;
}
