import type { Lockfile } from '../../lock/lockfile.js';
import { crdDemandText } from '../../model/crd-demand.js';
import { InputError } from '../../model/input-error.js';
import type { PackageSource } from '../../model/package-source.js';
import type { Request } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';
import type { Problem } from '../../solver/problem.js';
import { solve } from '../../solver/solve.js';
import type { ChosenOwner, Effort, SearchResult } from '../../solver/search-result.js';
import { requirersIn, type Requirers } from './requirers.js';
import { Driver } from '../../driver/driver.js';
import type { ReadCounts } from '../../driver/read-stats.js';
import { SourceMemory } from '../../driver/source-memory.js';
import { explainRefusal, type Refused } from '../../explain/explain-refusal.js';
import { heldBack } from './held-back.js';
import { movements, type Movement } from './movement.js';
import type { Refusal } from '../../explain/refusal.js';
import { releaseSelector, chooseTargets } from '../../model/target/target-choice.js';
import { toLockfile, type ChosenPackage } from './to-lockfile.js';
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

export type Answer = Solved | Unsolvable | GaveUp;

export interface Solved {
  readonly status: 'solved';
  readonly target: Target;
  readonly lockfile: Lockfile;
  /** Repositories in the order in which they were decided. */
  readonly order: readonly string[];
  /** Who asks for each package. */
  readonly requirers: Requirers;
  /** What differs from the lockfile given, or from nothing, and why. */
  readonly changes: readonly Movement[];
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  readonly stats: Stats;
}

export interface Unsolvable extends Refusal {
  readonly status: 'unsolvable';
  readonly target: Target;
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  readonly stats: Stats;
}

export interface GaveUp {
  readonly status: 'gave-up';
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  readonly stats: Stats;
}

type SolvedOutcome = Extract<SearchResult, { status: 'solved' }>;

export type Stats = ReadCounts & Effort;

/**
 * Finds the one set of versions that satisfies everything, or says why there is none.
 *
 * Throws `InputError` for a request that makes no sense and `SourceError` when a source fails.
 */
export async function resolve(request: Request, options: ResolveOptions): Promise<Answer> {
  const asked = releaseSelector(request, options.crossplane);
  const { groups, notes, warnings } = chooseTargets(asked, options.crossplaneVersions);
  const memory = SourceMemory.of(options.source);
  const problemFor = (targets: readonly Target[]) => toProblem(request, targets, options);
  let effort: Effort = { decisions: 0, conflicts: 0 };
  let refused: Omit<Refused, 'problemFor'> | undefined;
  for (const { problem, targets } of meaningful(groups, problemFor)) {
    // Each group has a driver of its own, lest what another group read shows in an explanation.
    const driver = new Driver(memory, options);
    const outcome = await driver.drive(solve(problem), targets[0]!);
    effort = sum(effort, outcome.effort);
    const stats = { ...driver.counts, ...effort };
    if (outcome.status === 'gave-up') return { status: 'gave-up', notes, warnings, stats };
    if (outcome.status === 'solved') {
      const target = targets[outcome.release]!;
      return { ...(await answer(outcome, target, driver)), stats };
    }
    refused ??= { problem, targets, proof: outcome, driver };
  }
  const stats = { ...refused!.driver.counts, ...effort };
  const refusal = await explainRefusal({ ...refused!, problemFor });
  const target = refused!.targets[0]!;
  return { status: 'unsolvable', target, ...refusal, notes, warnings, stats };

  async function answer(
    { selected, owners }: SolvedOutcome,
    target: Target,
    driver: Driver,
  ): Promise<Omit<Solved, 'stats'>> {
    const chosen: ChosenPackage[] = [];
    for (const one of selected) {
      const fetched = await driver.fetch(one, target);
      chosen.push({ ...one, fetched: fetched! });
    }
    const previous = options.lockfile;
    const made = toLockfile(chosen, request, { target, previous });
    const { lockfile } = made;
    const order = chosen.map(({ repository }) => repository);
    const told = chosen.flatMap(({ repository, version, fetched }) =>
      (fetched.notes ?? []).map((note) => `${repository} ${version}: ${note}`),
    );
    const problem = problemFor([target]);
    const { unlock } = options;
    const requirers = requirersIn(lockfile, problem);
    const changes = movements({
      before: previous,
      after: lockfile,
      problem,
      requirers,
      target,
      unlock,
    });
    const behind = await heldBack(selected, problem, target, driver);
    return {
      status: 'solved',
      target,
      lockfile,
      order,
      requirers,
      changes,
      notes: [...notes, ...owners.map(ownerNote), ...told, ...behind],
      warnings: [...warnings, ...made.warnings, ...dubious(chosen, options)],
    };
  }
}

function ownerNote({ demand, owner, others }: ChosenOwner): string {
  const rest = others.map((repository) => `\`${repository}\``).join(', ');
  return `\`${crdDemandText(demand)}\` is given by \`${owner}\`; ${rest} could be asked for instead`;
}

/** What is installed though it is worth a second look, and wishes that came to nothing. */
function dubious(chosen: readonly ChosenPackage[], { prereleases = [] }: ResolveOptions): string[] {
  const installed = new Set(chosen.map(({ repository }) => repository));
  return [
    ...chosen.flatMap(({ repository, version, meta }) =>
      meta.findings.map(({ message }) => `${repository} ${version}: ${message}`),
    ),
    ...prereleases
      .filter((repository) => !installed.has(repository))
      .map(
        (repository) => `prereleases of \`${repository}\` are admitted, and it is not installed`,
      ),
  ];
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
