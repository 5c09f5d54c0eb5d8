import { wantedText } from './fact-clause.js';
import { conjugated, labelsOf, type NounPhrases, rangeText } from './noun-phrases.js';
import { orList } from '../../base/messages.js';
import { parseConstraint, selectorOf } from '../../crossplane/constraints/constraint.js';
import { compareVersions, parseVersion } from '../../crossplane/constraints/version.js';
import { knownReleases } from '../../crossplane/releases/target.js';
import type { FactOf, Term, Variable } from '../solver/incompatibility.js';
import type { PackageVersions } from '../solver/package-versions.js';
import { VersionSet } from '../solver/version-set.js';

/** What the predicate of a fact depends on. */
export interface PredicateContext {
  readonly nouns: NounPhrases;
  /** All requirements of the explanation. */
  readonly graph: { requirers(variable: Variable): readonly unknown[] };
  /** The versions that the facts are about. */
  readonly by: Term;
  /** Their phrase is plural. */
  readonly isMany: boolean;
}

/**
 * Returns the required package with its constraint. If the requiring versions have different
 * constraints, the versions that they admit replace the constraint. If every version is admitted and
 * nothing else requires the package, the result is the package alone.
 */
export function requiredText(
  requirements: readonly FactOf<'requires'>[],
  { nouns, graph }: Pick<PredicateContext, 'nouns' | 'graph'>,
): string {
  const [first] = requirements;
  const { on, constraint } = first!;
  const { repository, versions } = nouns.package(on);
  const values = requirements.reduce((all, fact) => all.or(fact.on.values), on.values);
  const isContested = graph.requirers(on.variable).length > 1;
  if (!isContested && versions.isListed && isEveryRelease(versions, values)) {
    return nouns.name(repository);
  }
  if (requirements.every((fact) => fact.constraint === constraint)) {
    return wantedText(on, selectorOf(constraint), nouns);
  }
  const range = rangeText(versions, values);
  const ends = range.replace(/^\d+ versions from (\S+) to (\S+)/, 'between $1 and $2');
  return `${nouns.name(repository)} ${ends}`;
}

/** Returns whether a set has every version except prereleases. */
function isEveryRelease(versions: PackageVersions, values: VersionSet): boolean {
  const releases = versions
    .ascending()
    .filter((value) => versions.version(value)!.prerelease === '');
  return releases.length > 0 && releases.every((value) => values.has(value));
}

/** States that versions do not exist. A locked version existed and has been withdrawn. */
export function notPublished(
  { variable, values }: Term,
  isMany: boolean,
  nouns: NounPhrases,
): string {
  const { repository, versions } = nouns.package({ variable, values });
  const locked = nouns.problem.locked.get(repository);
  const labels = labelsOf(versions, values);
  if (labels.length === 1 && labels[0] === locked) {
    return 'was withdrawn: the lockfile has it, and it is no longer published';
  }
  return `${conjugated('be', isMany)} not published`;
}

/** Returns the required Crossplane, and whether the target is too old or too new. */
export function neededCrossplane(
  facts: readonly FactOf<'crossplane'>[],
  nouns: NounPhrases,
): string {
  const constraints = [...new Set(facts.map(({ constraint }) => `\`${constraint}\``))];
  if (facts.some(({ on }) => !on.values.isEmpty)) return orList(constraints);
  const releases = nouns.releases(VersionSet.all);
  const are = conjugated('be', nouns.problem.releases.length > 1);
  const gap = gapTo(facts, nouns);
  if (gap === undefined) return `${orList(constraints)}, and the target is ${releases}`;
  const needed = constraints.length === 1 ? constraints[0]! : gap.releases;
  return `${needed}, and ${releases} ${are} too ${gap.too}`;
}

/**
 * Returns the nearest admitted releases, and whether the target is too old or too new for them.
 * Undefined if releases on both sides of the target are admitted, or none.
 */
function gapTo(facts: readonly FactOf<'crossplane'>[], { problem }: NounPhrases) {
  const { dialect, releases } = problem;
  const constraints = facts.map(({ constraint }) => parseConstraint(constraint, dialect));
  const admitted = knownReleases()
    .map((text) => parseVersion(text, dialect)!)
    .filter((release) => constraints.some((one) => !one.invalid && one.admits(release)))
    .sort(compareVersions);
  const [oldest, newest] = [admitted[0], admitted.at(-1)];
  if (oldest === undefined || newest === undefined) return undefined;
  if (releases.every((one) => compareVersions(one, oldest) < 0)) {
    return { too: 'old', releases: `${oldest.raw} or newer` };
  }
  if (releases.every((one) => compareVersions(newest, one) < 0)) {
    return { too: 'new', releases: `${newest.raw} or older` };
  }
  return undefined;
}
