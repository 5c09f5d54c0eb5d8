import type { Answer, Solved } from './answer.js';
import { movedTagMismatches, withLongerTags, withoutLongerTags } from './locked-tags.js';
import { movements, requirersIn } from './movements.js';
import {
  heldBackNotes,
  publishedNotes,
  rangeWarnings,
  removedRootWarnings,
  type SolvedRequest,
} from './notes.js';
import { candidateRules } from './policy-rules.js';
import { type ChosenPackage, skipReasons, toLockfile } from './to-lockfile.js';
import {
  checkRepositoryNames,
  type ProblemOptions,
  type ResolveOptions,
  toProblem,
} from './to-problem.js';
import { formatOrigin, InputError, type Origin } from '../../base/errors.js';
import { shellWord } from '../../base/escape.js';
import { OutOfTime } from '../../base/time.js';
import { parseConstraint, selectorOf } from '../../crossplane/constraints/constraint.js';
import { satisfies } from '../../crossplane/constraints/installable-versions.js';
import { INDEPENDENT_DIALECT } from '../../crossplane/constraints/dialects.js';
import { formatCrdRef } from '../../crossplane/packages/crd-ref.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import {
  chooseTargets,
  releaseSelector,
  versionOf,
} from '../../crossplane/releases/target-choice.js';
import type { Target } from '../../crossplane/releases/target.js';
import { overrideOf, type Request } from '../../project/inputs/request.js';
import {
  byRepository,
  lockedIn,
  lockedParts,
  type Lockfile,
} from '../../project/lockfile/lockfile.js';
import { Driver } from '../driver/driver.js';
import { SourceReader } from '../driver/source-reader.js';
import type { RefusedRequest } from '../explain/explain-refusal.js';
import { requiredLists, takesList } from '../solver/prefetch.js';
import {
  effectiveRepository,
  effectiveSelector,
  packageRoots,
  type Problem,
} from '../solver/problem.js';
import type { ChosenOwner, Effort, Solution } from '../solver/search-result.js';
import { solveWithPins } from '../solver/solve.js';

/**
 * Finds the package set that satisfies a request, or explains why there is none. Throws an
 * `InputError` if the request is invalid and a `SourceError` if a source fails.
 */
export async function resolve(request: Request, options: ResolveOptions): Promise<Answer> {
  const reader = SourceReader.of(options.source);
  try {
    return await answerTo(request, reader, options);
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    const { listed, fetched } = reader.stats;
    const stats = { listed, fetched, decisions: 0, conflicts: 0 };
    return { status: 'gave-up', reason: error.message, notes: [], warnings: [], stats };
  }
}

async function answerTo(
  request: Request,
  reader: SourceReader,
  options: ResolveOptions,
): Promise<Answer> {
  const releases = releaseSelector(request, options.crossplane);
  const { groups, notes, warnings } = chooseTargets(releases, options.crossplaneVersions);
  const driverOptions = { ...options, rules: candidateRules(request, options) };
  const problemFor = (targets: readonly Target[]) => toProblem(request, targets, options);
  let effort: Effort = { decisions: 0, conflicts: 0 };
  let refused: Pick<RefusedRequest, 'problem' | 'targets' | 'proof' | 'driver'> | undefined;
  for (const { problem, targets } of validProblems(groups, problemFor)) {
    // Each group has its own driver, so that an explanation shows only what its own group read.
    const driver = new Driver(reader, driverOptions);
    const { lockfile } = options;
    if (lockfile !== undefined) prefetchLocked(lockfile, problem, reader, targets[0]!);
    const found = await driver.drive(solveWithPins(problem), targets[0]!);
    const outcome = found.result;
    const { decisions, conflicts } = outcome.effort;
    effort = { decisions: effort.decisions + decisions, conflicts: effort.conflicts + conflicts };
    const stats = { ...driver.counts, ...effort };
    if (outcome.status === 'gave-up') return { status: 'gave-up', notes, warnings, stats };
    if (outcome.status === 'solved') {
      const target = targets[outcome.release]!;
      const solution = { ...outcome, target, problem: problemFor([target]), driver };
      const solved = await toAnswer(solution, request, options);
      return {
        ...solved,
        unrequired: found.unrequired,
        lockfile: await withTagRecords(solved.lockfile, reader, options),
        notes: [...notes, ...solved.notes],
        warnings: [...warnings, ...solved.warnings],
        stats: { ...stats, listed: driver.counts.listed },
      };
    }
    refused ??= { problem: found.problem, targets, proof: outcome, driver };
  }
  const stats = { ...refused!.driver.counts, ...effort };
  const { explainRefusal } = await import('../explain/explain-refusal.js');
  const refusal = await explainRefusal({
    ...refused!,
    problemFor,
    isReleaseNamed: options.isReleaseNamed ?? false,
    locked: options.lockfile?.packages ?? [],
    sideEffects: ({ selected }, target) => {
      const isSkipped = (options.lockfile?.skipDependencyResolution ?? []).length > 0;
      return isSkipped || skipReasons(selected, request, target).length === 0
        ? []
        : ['every package object gets `skipDependencyResolution: true`'];
    },
  });
  const target = refused!.targets[0]!;
  const published = await publishedNotes(refusal.facts, reader, target);
  const enforcement = enforcementNotes(groups.flat(), target, options);
  return {
    status: 'unsolvable',
    target,
    ...refusal,
    movedTags: await movedTagMismatches(refused!.driver, target, options),
    notes: [...notes, ...published, ...refusal.notes, ...enforcement],
    warnings,
    stats,
  };
}

/** Returns a note for each rule that some other releases of the range cannot enforce. */
function enforcementNotes(
  targets: readonly Target[],
  refused: Target,
  { rules = [] }: ResolveOptions,
): string[] {
  return rules.flatMap(({ enforcedBy }) => {
    if (enforcedBy === undefined) return [];
    const { constraint: text, by, origin } = enforcedBy;
    const constraint = parseConstraint(text, INDEPENDENT_DIALECT);
    if (constraint.invalid) return [];
    const others = targets.filter((target) => !constraint.admits(versionOf(target)));
    if (others.length === 0 || others.includes(refused)) return [];
    const [newest, oldest] = [others[0]!.version, others.at(-1)!.version];
    const names =
      newest === oldest ? `${newest} is no candidate` : `${oldest} to ${newest} are no candidates`;
    return [`Crossplane ${names}: ${by} (${formatOrigin(origin)}) needs Crossplane \`${text}\``];
  });
}

function withTagRecords(
  lockfile: Lockfile,
  reader: SourceReader,
  { longerTags }: ResolveOptions,
): Lockfile | Promise<Lockfile> {
  if (longerTags === undefined) return lockfile;
  return longerTags ? withLongerTags(lockfile, reader) : withoutLongerTags(lockfile);
}

/** Returns the problem for each group of releases that supports the request. Throws if none does. */
function validProblems(
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

/** Returns the lockfile of a solution, with changes, notes and warnings. */
async function toAnswer(
  { owners, ...solution }: SolvedRequest & Pick<Solution, 'owners'>,
  request: Request,
  options: ProblemOptions,
): Promise<Omit<Solved, 'stats' | 'unrequired'>> {
  const { selected, target, problem, driver } = solution;
  const chosen: ChosenPackage[] = [];
  for (const one of selected) {
    const fetched = await driver.fetch(one, target);
    chosen.push({ ...one, fetched: fetched! });
  }
  const { lockfile: previous, unlock, signerOf } = options;
  const records = options.lockIndexes === true || previous?.indexes !== undefined;
  const indexes = records ? driver.indexStates : [];
  const context = { target, previous, indexes, signerOf };
  const { lockfile, warnings } = toLockfile(chosen, request, context);
  const requirers = requirersIn(lockfile, problem);
  const heldBack = await heldBackNotes(solution, request, options);
  const sourceNotes = chosen.flatMap(({ repository, version, fetched: { notes = [] } }) =>
    notes.map((note) => `${repository} ${version}: ${note}`),
  );
  return {
    status: 'solved',
    target,
    lockfile,
    order: chosen.map(({ repository }) => repository),
    requirers,
    changes: movements(previous, lockfile, { problem, requirers, target, unlock }),
    movedTags: await movedTagMismatches(driver, target, options, lockfile),
    notes: [...owners.map(ownerNote), ...sourceNotes, ...heldBack],
    warnings: [
      ...removedRootWarnings(previous, lockfile, requirers, options.isUnsaved),
      ...rangeWarnings(selected, problem),
      ...warnings,
      ...packageWarnings(chosen, options),
    ],
  };
}

function ownerNote({ crdRef, owner, others }: ChosenOwner): string {
  const rest = others.map((repository) => `\`${repository}\``).join(', ');
  return `\`${formatCrdRef(crdRef)}\` is given by \`${owner}\`; ${rest} could be asked for instead`;
}

/** Returns findings on installed packages, and warnings about `prereleases` without effect. */
function packageWarnings(
  chosen: readonly ChosenPackage[],
  { prereleases = [] }: ProblemOptions,
): string[] {
  const findings = chosen.flatMap(({ repository, version, meta }) =>
    meta.findings.map(({ message }) => `${repository} ${version}: ${message}`),
  );
  const installed = new Set(chosen.map(({ repository }) => repository));
  const withoutEffectNames = prereleases.filter((repository) => !installed.has(repository));
  const withoutEffect = withoutEffectNames.map(
    (repository) => `prereleases of \`${repository}\` are admitted, and it is not installed`,
  );
  return [...findings, ...withoutEffect];
}

/** Prefetches the locked packages that the roots still require, and their tag lists. */
function prefetchLocked(
  lockfile: Lockfile,
  problem: Problem,
  reader: SourceReader,
  target: Target,
): void {
  if (!reader.distant) return;
  const locked = byRepository(lockfile.packages);
  const visited = new Set<Repository>();
  const isExcluded = (repository: Repository) =>
    problem.policy?.repository(repository) !== undefined;
  const visit = (named: Repository) => {
    const repository = effectiveRepository(problem, named);
    if (visited.has(repository) || isExcluded(repository)) return;
    visited.add(repository);
    const version = problem.locked.get(repository);
    const last = locked.get(repository);
    if (version !== undefined) {
      const known = last?.version === version ? { parts: lockedParts(last) } : {};
      void reader.prefetchPackage({ repository, version, ...known }, target).catch(() => undefined);
    }
    if (last === undefined || problem.ignoreRequirements) return;
    for (const list of requiredLists(last, problem)) reader.prefetchTags(list.repository, target);
    for (const each of last.requirements) if (each.requires === 'package') visit(each.repository);
  };
  for (const root of packageRoots(problem)) {
    const repository = effectiveRepository(problem, root.repository);
    const selector = effectiveSelector(problem, repository, root.selector);
    if (isExcluded(repository)) continue;
    if (takesList(selector, problem)) reader.prefetchTags(repository, target);
    visit(repository);
  }
}

/** A locked package to update. */
export interface Move {
  readonly repository: Repository;
  /** A constraint, tag or digest. Undefined: the newest version that satisfies all constraints. */
  readonly version?: string | undefined;
  /** Where the user names the package, for messages. Undefined: the call of `update`. */
  readonly origin?: Origin | undefined;
}

const CALL: Origin = { file: 'update' };

export interface UpdateOptions extends ResolveOptions {
  readonly lockfile: Lockfile;
}

/**
 * Resolves the request with these packages unlocked, or all packages if `moves` is empty. The other
 * packages stay at their locked versions unless those conflict. A package that is named with a version
 * gets that version. Throws an `InputError` if the request no longer requires it.
 */
export async function update(
  request: Request,
  moves: readonly Move[],
  given: UpdateOptions,
): Promise<Answer> {
  const options = { ...given, source: SourceReader.of(given.source) };
  const repositories = moves.map(({ repository }) => repository);
  checkRepositoryNames('moves', repositories);
  const pins = moves.flatMap(({ repository, version, origin = CALL }) =>
    version === undefined ? [] : [{ repository, version, origin }],
  );
  const unlock = moves.length === 0 ? 'all' : new Set(repositories);
  const answer = await resolve(request, { ...options, unlock, pins });
  if (answer.status !== 'solved') return answer;
  for (const pin of pins) {
    const override = violatedOverride(request, pin, answer);
    if (override === undefined) continue;
    const hint = `change ${formatOrigin(override.origin)}, which decides whatever else is asked`;
    throw new InputError(override.text, { origin: pin.origin, hint });
  }
  // A package that only its pin requires would be removed, not updated.
  for (const { repository, origin } of pins) {
    if (!answer.unrequired.includes(repository)) continue;
    const hint = `\`xpkg-resolve resolve\` removes it, \`xpkg-resolve add ${shellWord(repository)}\` keeps it`;
    throw new InputError(`nothing requires ${repository} any more`, { origin, hint });
  }
  return answer;
}

/** Returns the override that keeps a package from a version, with a sentence about it. */
export function violatedOverride(
  request: Request,
  { repository, version }: Candidate,
  { lockfile, target }: Solved,
): { readonly origin: Origin; readonly text: string } | undefined {
  const override = overrideOf(request, repository);
  const locked = lockedIn(lockfile, repository);
  if (override === undefined || locked === undefined) return undefined;
  if (satisfies(locked.version, selectorOf(version), target, 'all')) return undefined;
  const { origin } = override;
  const text = `${repository} is overridden to \`${override.version}\` (${formatOrigin(origin)})`;
  return { origin, text };
}
