import {
  CHOSEN_FIRST,
  type Conflict,
  constraintOf,
  type HeldByConstraint,
  NOT_FLAG,
  overrideAgainst,
  rankOf,
} from './blocked-by-text.js';
import type { Origin } from '../../base/errors.js';
import { ANY } from '../../crossplane/constraints/constraint.js';
import { satisfies } from '../../crossplane/constraints/installable-versions.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { Request, VersionRule } from '../../project/inputs/request.js';
import { Driver } from '../driver/driver.js';
import { minimalProof } from '../explain/minimal-proof.js';
import {
  packageOf,
  type Proof,
  proofFacts,
  type Solution,
  unionOf,
  versionIn,
} from '../solver/search-result.js';
import type { Solved } from './answer.js';
import { candidateRules } from './policy-rules.js';
import { type ProblemOptions, type ResolveOptions, toProblem } from './to-problem.js';
import { type Fact, factKey, isRemovable } from '../solver/incompatibility.js';
import { effectiveRepository, type Problem, withRoots } from '../solver/problem.js';
import type { Solving } from '../solver/question.js';
import { solve } from '../solver/solve.js';

/** Why a package is not at a newer version: one removable constraint, or a minimal conflict. */
export type HeldBy = readonly HeldByConstraint[];

/** An answer, and the driver to solve variations of it. */
interface TrialContext {
  /** In the order of decision. */
  readonly chosen: readonly Candidate[];
  readonly target: Target;
  readonly driver: Driver;
  /** Maximum number of versions that one trial may read. With 0, trials use only known facts. */
  readonly maxRead: number;
}

/** Maximum number of constraints that are lifted one by one in search of a single cause. */
const MAX_LIFTED = 12;

/**
 * Returns the constraints that keep a package from the version `wanted`; undefined if they are not
 * known within the limits.
 *
 * If no package set contains `wanted`, the cause is part of a minimal proof of that. Otherwise a
 * package that is chosen earlier has a better version without it, and the versions chosen earlier are
 * part of the proof. In both cases the result is a single constraint if the set can be solved without
 * it. The result depends only on the packages and the request, not on the command.
 */
export async function heldBy(
  wanted: Candidate,
  context: TrialContext,
  request: Request,
  options: ProblemOptions,
): Promise<HeldBy | undefined> {
  const { chosen, target } = context;
  const problemWith = (earlier: readonly VersionRule[]): Problem => {
    const pins = [{ ...wanted, origin: NOT_FLAG }, ...earlier];
    const problem = toProblem(request, [target], { ...options, unlock: 'all', pins });
    return { ...problem, locked: new Map(chosen.map((one) => [one.repository, one.version])) };
  };
  const strict = problemWith([]);
  const override = overrideAgainst(wanted, strict, target);
  if (override !== undefined) return [override];
  const found = await trial(context, solve(strict));
  if (found?.status === 'unsolvable') return causeOf(wanted, strict, found, context);
  if (found?.status !== 'solved') return undefined;
  // The version is possible, but a package that is chosen earlier has a better version without it.
  const place = chosen.findIndex(({ repository }) => repository === wanted.repository);
  if (place < 0) return undefined;
  const earlier = chosen.slice(0, place).map((one) => ({ ...one, origin: CHOSEN_FIRST }));
  const problemInOrder = problemWith(earlier);
  const refused = await trial(context, solve(problemInOrder));
  if (refused?.status !== 'unsolvable') return undefined;
  return causeOf(wanted, problemInOrder, refused, context);
}

/** Maximum number of versions that may be read to find the cause. */
const MAX_READ = 1_000;

/** Calls `heldBy` for a package in an answer, with a new driver and a limit on reads. */
export async function heldByInAnswer(
  wanted: Candidate,
  { order, lockfile, target }: Pick<Solved, 'order' | 'lockfile' | 'target'>,
  request: Request,
  options: ResolveOptions,
): Promise<HeldBy | undefined> {
  const versions = new Map(lockfile.packages.map((one) => [one.repository, one.version]));
  const chosen = order.map((repository) => ({ repository, version: versions.get(repository)! }));
  const rules = candidateRules(request, options);
  const driver = new Driver(options.source, { ...options, rules });
  return heldBy(wanted, { chosen, target, driver, maxRead: MAX_READ }, request, options);
}

/** Runs a search; undefined if the limit is reached or a source fails. */
function trial<T>({ driver, target, maxRead }: TrialContext, solving: Solving<T>) {
  return driver.driveWithLimit(solving, target, maxRead);
}

async function causeOf(
  wanted: Candidate,
  problem: Problem,
  found: Proof,
  context: TrialContext,
): Promise<HeldBy | undefined> {
  // A conflict with a single constraint is minimal already.
  const isMinimal = constraintsIn(found).length <= 1;
  const proof = isMinimal ? found : await trial(context, minimalProof(problem, found));
  if (proof === undefined) return undefined;
  const facts = constraintsIn(proof);
  const conflict: Conflict = { wanted, problem, proof, facts, target: context.target };
  const closestFirst = facts.toSorted((a, b) => rankOf(a, conflict) - rankOf(b, conflict));
  const changeable = closestFirst.filter((fact) => !hasOrigin(CHOSEN_FIRST, fact));
  for (const fact of facts.length > 1 ? changeable.slice(0, MAX_LIFTED) : []) {
    const solution = await solutionWithout(fact, conflict, context);
    if (solution === 'not known' && context.maxRead === 0) return undefined;
    if (solution !== undefined && solution !== 'not known') {
      return [constraintOf(fact, conflict, { ...solution, isViolated: true })];
    }
  }
  // If a version is rejected or missing, no constraint of the conflict can be changed.
  const unchangeable = proofFacts(proof).filter(
    (fact) => !isRemovable(fact) && fact.fact !== 'no-others',
  );
  const causes = facts.length > 0 ? closestFirst : unchangeable;
  if (causes.length === 0) return undefined;
  const versions = { selected: context.chosen, isViolated: false };
  return causes.map((fact) => constraintOf(fact, conflict, versions));
}

/**
 * Returns the facts that the user or a publisher can change, one for each key, in the order of the
 * proof, except the requirement of the version itself. A requirement that several versions state
 * covers all of them.
 */
function constraintsIn(proof: Proof): Fact[] {
  const byKey = new Map<string, Fact>();
  for (const fact of proofFacts(proof).filter(isRemovable)) {
    const key = factKey(fact, proof.subjects);
    const before = byKey.get(key);
    const isSame = before?.fact === 'requires' && fact.fact === 'requires';
    byKey.set(key, isSame ? { ...before, by: unionOf(before.by, fact.by) } : (before ?? fact));
  }
  return [...byKey.values()].filter((fact) => !hasOrigin(NOT_FLAG, fact));
}

function hasOrigin(origin: Origin, fact: Fact): boolean {
  return fact.fact === 'root' && fact.root.origin === origin;
}

/** Solves without a constraint: any version of the required package is allowed instead. */
async function solutionWithout(
  fact: Fact,
  { wanted, problem, proof }: Conflict,
  context: TrialContext,
): Promise<Solution | 'not known' | undefined> {
  const { subjects } = proof;
  const required = fact.fact === 'root' || fact.fact === 'requires' ? fact.on : undefined;
  const on = required && packageOf(required, subjects).repository;
  const key = factKey(fact, subjects);
  const anyVersion = withRoots(problem, (root) =>
    fact.fact === 'root' && root === fact.root ? { selector: ANY } : undefined,
  );
  const search =
    fact.fact === 'root' && on !== wanted.repository
      ? solve(anyVersion)
      : solve(problem, { has: (each) => each !== key });
  const result = await trial(context, search);
  if (result === undefined || result.status === 'gave-up') return 'not known';
  if (result.status === 'unsolvable') return undefined;
  if (!isRequired(wanted.repository, result, problem)) return undefined;
  if (on === undefined) return result;
  // `*` in place of the constraint admits no prerelease.
  const version = versionIn(result, on);
  if (version === undefined) return undefined;
  const isAdmittedByAny =
    problem.prereleases.has(on) || satisfies(version, ANY, context.target, 'named');
  return isAdmittedByAny ? result : undefined;
}

/** Returns whether a root or another package of the solution requires a package. */
function isRequired(repository: Repository, { selected }: Solution, problem: Problem): boolean {
  const namesPackage = (named: Repository) => effectiveRepository(problem, named) === repository;
  const isRoot = problem.roots.some((root) =>
    root.requires === 'package'
      ? root.pin === undefined && namesPackage(root.repository)
      : root.requires === 'api',
  );
  const others = selected.filter((one) => one.repository !== repository);
  const required = others.flatMap(({ meta }) => meta.requirements);
  return (
    isRoot || required.some((each) => each.requires !== 'package' || namesPackage(each.repository))
  );
}

/** Returns all constraints in one line that can follow "held by". */
export function heldByText(constraints: HeldBy): string {
  return constraints.map(({ text }) => text).join('; ');
}
