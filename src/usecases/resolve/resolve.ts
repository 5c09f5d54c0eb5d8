import { Driver } from '../../driver/driver.js';
import { SourceMemory } from '../../driver/source-memory.js';
import type { Refused } from '../../explain/explain-refusal.js';
import type { Lockfile } from '../../lock/lockfile.js';
import { InputError } from '../../model/input-error.js';
import { OutOfTime } from '../../model/time/out-of-time.js';
import type { PackageSource } from '../../model/package-source.js';
import type { Request } from '../../model/request.js';
import { chooseTargets, releaseSelector } from '../../model/target/target-choice.js';
import type { Target } from '../../model/target/target.js';
import type { Problem } from '../../solver/problem.js';
import type { Effort } from '../../solver/search-result.js';
import { solve } from '../../solver/solve.js';
import { withLongerTags, withoutLongerTags } from '../with-longer-tags.js';
import type { Answer } from './answer.js';
import { expectLocked } from './expect-locked.js';
import { movedTags } from './moved-tags.js';
import { candidateRules } from './policy/policy-rules.js';
import { publishedNotes } from './notes/published.js';
import { toAnswer } from './to-answer.js';
import { toProblem, type ProblemOptions } from './to-problem.js';

export interface ResolveOptions extends ProblemOptions {
  readonly source: PackageSource;
  /** The Crossplane release, or a range of them; beats the request's own. */
  readonly crossplane?: string | undefined;
  /** Stable releases of Crossplane beyond the known ones. */
  readonly crossplaneVersions?: readonly string[] | undefined;
  /** Asked now and then during a long search; `false` makes it give up. */
  readonly goOn?: (() => boolean) | undefined;
}

/**
 * Finds the one set of versions that satisfies everything, or says why there is none.
 *
 * Throws `InputError` for a request that makes no sense and `SourceError` when a source fails.
 */
export async function resolve(request: Request, options: ResolveOptions): Promise<Answer> {
  const memory = SourceMemory.of(options.source);
  try {
    return await answerTo(request, memory, options);
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    const { listed, fetched } = memory.stats;
    const stats = { listed, fetched, decisions: 0, conflicts: 0 };
    return { status: 'gave-up', reason: error.message, notes: [], warnings: [], stats };
  }
}

async function answerTo(
  request: Request,
  memory: SourceMemory,
  options: ResolveOptions,
): Promise<Answer> {
  const asked = releaseSelector(request, options.crossplane);
  const { groups, notes, warnings } = chooseTargets(asked, options.crossplaneVersions);
  const driverOptions = { ...options, rules: candidateRules(request, options) };
  const problemFor = (targets: readonly Target[]) => toProblem(request, targets, options);
  let effort: Effort = { decisions: 0, conflicts: 0 };
  let refused: Omit<Refused, 'problemFor'> | undefined;
  for (const { problem, targets } of meaningful(groups, problemFor)) {
    // Each group has a driver of its own, lest what another group read shows in an explanation.
    const driver = new Driver(memory, driverOptions);
    const { lockfile } = options;
    if (lockfile !== undefined) expectLocked(lockfile, problem, { memory, target: targets[0]! });
    const outcome = await driver.drive(solve(problem), targets[0]!);
    effort = sum(effort, outcome.effort);
    const stats = { ...driver.counts, ...effort };
    if (outcome.status === 'gave-up') return { status: 'gave-up', notes, warnings, stats };
    if (outcome.status === 'solved') {
      const target = targets[outcome.release]!;
      const found = { ...outcome, target, problem: problemFor([target]), driver };
      const solved = await toAnswer(found, request, options);
      return {
        ...solved,
        lockfile: await aroundLocked(solved.lockfile, memory, options),
        notes: [...notes, ...solved.notes],
        warnings: [...warnings, ...solved.warnings],
        stats: { ...stats, listed: driver.counts.listed },
      };
    }
    refused ??= { problem, targets, proof: outcome, driver };
  }
  const stats = { ...refused!.driver.counts, ...effort };
  const { explainRefusal } = await import('../../explain/explain-refusal.js');
  const refusal = await explainRefusal({ ...refused!, problemFor });
  const target = refused!.targets[0]!;
  const moved = await movedTags(refused!.driver, target, options);
  const published = await publishedNotes(refusal.facts, memory, target);
  return {
    status: 'unsolvable',
    target,
    ...refusal,
    movedTags: moved,
    notes: [...notes, ...published],
    warnings,
    stats,
  };
}

function aroundLocked(
  lockfile: Lockfile,
  source: PackageSource,
  { longerTags }: ResolveOptions,
): Lockfile | Promise<Lockfile> {
  if (longerTags === undefined) return lockfile;
  return longerTags ? withLongerTags(lockfile, source) : withoutLongerTags(lockfile);
}

/** The groups of releases for which the request makes sense; if for none, why not for the first. */
function meaningful(
  groups: readonly (readonly Target[])[],
  problemFor: (targets: readonly Target[]) => Problem,
): { problem: Problem; targets: readonly Target[] }[] {
  let first: InputError | undefined;
  const problems = groups.flatMap((targets) => {
    try {
      return [{ problem: problemFor(targets), targets }];
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      first ??= error;
      return [];
    }
  });
  if (problems.length === 0) throw first!;
  return problems;
}

function sum(a: Effort, b: Effort): Effort {
  return { decisions: a.decisions + b.decisions, conflicts: a.conflicts + b.conflicts };
}
