import type { Repository } from '../../model/package.js';
import type { Target } from '../../model/target/target.js';
import { packageManagerOf } from '../../model/target/package-manager.js';
import { parseConstraint, type Constraint } from '../../semver/constraint.js';
import { newestOf } from '../../semver/newest.js';
import { compareVersions, parseVersion, type Version } from '../../semver/version.js';
import { isDigest } from '../../text/digest.js';
import { askTags, type ClusterWork } from '../cluster-question.js';

/** A version that a resolver settles on, or why it settles on none. */
export type Choice = { readonly version: string } | { readonly problem: string };

/** Why the tags of a repository cannot be listed, as registries say it. */
const NO_TAGS =
  'cannot fetch dependency package tags: NAME_UNKNOWN: repository name not known to registry';
const INVALID = 'version constraint on dependency is invalid';
const NOT_TO_INSTALL = 'cannot find dependency version to install';
const NOT_TO_MOVE = 'cannot find dependency version to upgrade';

/**
 * The version to install of what is not there: the newest that the one constraint admits. What
 * others ask of the package is not looked at, nor what the version itself asks for.
 */
export function* versionToInstall(
  repository: Repository,
  constraint: string,
  target: Target,
): ClusterWork<Choice> {
  const { rules } = target;
  if (rules.digestDependencies && isDigest(constraint)) return { version: constraint };
  const range = parseConstraint(constraint, rules.dialect);
  if (range.invalid) return { problem: `${NOT_TO_INSTALL}: ${INVALID}: ${range.error}` };
  const tags = yield* askTags(repository);
  if (tags === undefined) return { problem: `${NOT_TO_INSTALL}: ${NO_TAGS}` };
  const newest = newestOf(tags, rules, (version) => range.admits(version));
  if (newest !== undefined) return { version: newest.raw };
  return { problem: noVersionText(repository, constraint, target) };
}

interface Moving {
  /** As installed. */
  readonly from: string;
  /** Of every package that depends on it. */
  readonly constraints: readonly string[];
  readonly downgrades: boolean;
}

/**
 * The version to move an installed package to: the lowest from the installed one on that every
 * constraint admits, and failing that, if it may go down, the highest below.
 */
export function* versionToMoveTo(
  repository: Repository,
  { from, constraints, downgrades }: Moving,
  target: Target,
): ClusterWork<Choice> {
  const pinned = digestToMoveTo(constraints);
  if (pinned !== undefined) return pinned;
  const tags = yield* askTags(repository);
  if (tags === undefined) return { problem: `${NOT_TO_MOVE}: ${NO_TAGS}` };
  const { dialect } = target.rules;
  const ranges: Constraint[] = [];
  for (const constraint of constraints) {
    const range = parseConstraint(constraint, dialect);
    if (range.invalid) return { problem: `${NOT_TO_MOVE}: ${INVALID}: ${range.error}` };
    ranges.push(range);
  }
  const installed = parseVersion(from, dialect);
  if (installed === undefined) return { problem: `panic: ${from} is no semantic version` };
  const fitting = tags
    .map((tag) => parseVersion(tag, dialect))
    .filter((version) => version !== undefined)
    .filter((version) => ranges.every((range) => range.admits(version)))
    .sort(ascending);
  const up = fitting.find((version) => compareVersions(version, installed) >= 0);
  const chosen = up ?? (downgrades ? fitting.at(-1) : undefined);
  if (chosen !== undefined) return { version: chosen.raw };
  const text = noVersionText(repository, `[${constraints.join(' ')}]`, target);
  return { problem: `${NOT_TO_MOVE}: ${text}` };
}

/** What digests among the constraints come to; undefined: there are none. */
function digestToMoveTo(constraints: readonly string[]): Choice | undefined {
  const digests = new Set(constraints.filter(isDigest));
  const listed = `([${constraints.join(' ')}])`;
  if (digests.size === 0) return undefined;
  if (!constraints.every(isDigest)) {
    const what = 'a dependency package has different types of parent constraints';
    return { problem: `${NOT_TO_MOVE}: ${what} ${listed}` };
  }
  const [digest, ...others] = digests;
  if (others.length === 0) return { version: digest! };
  const what = 'a dependency package has different digests in parent constraints';
  return { problem: `${NOT_TO_MOVE}: ${what} ${listed}` };
}

/** By precedence; of equals the greatest string comes first, so that it is the one found. */
function ascending(a: Version, b: Version): number {
  return compareVersions(a, b) || (a.raw < b.raw ? 1 : -1);
}

function noVersionText(repository: Repository, constraints: string, target: Target): string {
  if (!packageManagerOf(target).tellsNoVersion) {
    return `dependency (${repository}) does not have version in constraints (${constraints})`;
  }
  return (
    `dependency (${repository}) does not have a valid version to upgrade that satisfies all ` +
    'constraints. If there is a valid version that requires downgrade, manual intervention is ' +
    `required. Constraints: ${constraints}`
  );
}
