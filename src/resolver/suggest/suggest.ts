import { changeEffect } from './change-effect.js';
import { movedRoots } from './moved-roots.js';
import { otherCrossplane } from './other-crossplane.js';
import { meets, type Proposal, type SolvedChange, type SuggestionContext } from './proposal.js';
import { versionIn } from '../solver/search-result.js';
import { type Suggestion } from '../explain/refusal.js';
import { otherHosts, otherKinds, otherNames, removedRoots } from './root-corrections.js';
import {
  admittedPrereleases,
  ageExceptions,
  allowedCycles,
  overrides,
  removedDenials,
  removedExclusions,
  removedOverrides,
  replacements,
} from './rule-changes.js';
import { Trials } from './trials.js';
import { compareVersions, parseVersion } from '../../crossplane/constraints/version.js';
import type { Driver } from '../driver/driver.js';
import { effectiveRepository, packageRoots } from '../solver/problem.js';

const MAX_SUGGESTIONS = 4;

/**
 * Step 4 of an explanation: returns changes to the inputs that make the package set solvable. The
 * set was solved with each change. If any versions of all roots work together, one suggestion names
 * them.
 */
export async function suggest(
  context: SuggestionContext,
  driver: Driver,
): Promise<readonly Suggestion[]> {
  const trials = new Trials(driver);
  const firstWorking = (limit: number, ...makers: readonly ProposalMaker[]) =>
    firstThatWork(proposalsOf(makers, context), limit, context, trials);
  const moves = await movedRoots({ ...context, trials, driver });
  trials.addReserve();
  const isOneRoot = moves[0]?.change.edits.length === 1;
  const corrected = await firstWorking(MAX_SUGGESTIONS - 1, otherKinds, otherHosts, otherNames);
  const removed = await firstWorking(
    MAX_SUGGESTIONS - 1 - corrected.length,
    removedExclusions,
    removedOverrides,
    ageExceptions,
    removedDenials,
  );
  const singleRootChanges = [...corrected, ...removed, ...(isOneRoot ? moves : [])];
  const manyRoots = isOneRoot ? [] : moves;
  const otherChanges = await firstWorking(
    MAX_SUGGESTIONS - singleRootChanges.length - manyRoots.length,
    admittedPrereleases,
    otherCrossplane,
    replacements,
  );
  const before = [...singleRootChanges, ...otherChanges, ...manyRoots];
  const rest = await firstWorking(
    MAX_SUGGESTIONS - before.length,
    overrides,
    allowedCycles,
    removedRoots,
  );
  return rankSuggestions([...before, ...rest].slice(0, MAX_SUGGESTIONS), context);
}

type ProposalMaker = (context: SuggestionContext) => Iterable<Proposal>;

function* proposalsOf(makers: readonly ProposalMaker[], context: SuggestionContext) {
  for (const make of makers) yield* make(context);
}

/** Returns the first proposals, up to `limit`, that can be solved; one for each goal. */
async function firstThatWork(
  proposals: Iterable<Proposal>,
  limit: number,
  context: SuggestionContext,
  trials: Trials,
): Promise<SolvedChange[]> {
  const found: SolvedChange[] = [];
  const goals = new Set<string>();
  if (limit <= 0) return found;
  for (const proposal of proposals) {
    const { goal, targets = context.targets } = proposal;
    if (goals.has(goal)) continue;
    const result = await trials.attempt(proposal.problem, targets);
    if (result?.status !== 'solved') continue;
    const change = proposal.describe(result);
    const { problem = proposal.problem } = change;
    const solution = problem === proposal.problem ? result : await trials.attempt(problem, targets);
    if (solution?.status !== 'solved') continue;
    goals.add(goal);
    found.push({ change, solution, problem, target: targets[solution.release]! });
    if (found.length === limit) break;
  }
  return found;
}

/** Maximum number of downgraded roots that are named. */
const MAX_ROOTS_NAMED = 3;

/**
 * Turns solved changes into suggestions that state their effect. Changes with fewer downgrades and
 * removals come first. Changes that downgrade a root by a major version come after all others, and
 * changes that remove a root come last. A change is dropped if its solution lacks a package that
 * the command names.
 */
function rankSuggestions(found: readonly SolvedChange[], context: SuggestionContext): Suggestion[] {
  return found
    .filter(hasNamedPackages)
    .map((each) => {
      const { change, solution, problem, target } = each;
      const downgrades = rootDowngrades(each, context);
      const notes = [
        ...downgrades.slice(0, MAX_ROOTS_NAMED).map(({ note }) => note),
        ...(change.removesRoot === true ? ['one root is not installed'] : []),
        ...(change.notes ?? []),
        ...context.sideEffects(solution, target),
      ];
      const effect = changeEffect(context.locked, solution.selected, problem.dialect, notes);
      const removals = Number(change.removesRoot ?? false);
      const majors = Number(downgrades.some(({ isMajor }) => isMajor));
      const losses = effect.down + effect.removed;
      const suggestion = { text: change.text, edits: change.edits, effect };
      return { suggestion, removals, majors, losses };
    })
    .sort((a, b) => a.removals - b.removals || a.majors - b.majors || a.losses - b.losses)
    .map(({ suggestion }) => suggestion);
}

/** Returns whether the solution has every package that the command names, at a named version. */
function hasNamedPackages({ solution, problem, target }: SolvedChange): boolean {
  return packageRoots(problem).every((root) => {
    if (root.isNamed !== true) return true;
    const version = versionIn(solution, effectiveRepository(problem, root.repository));
    return version !== undefined && meets(version, root, problem, target);
  });
}

/** Returns a note for each root that gets a version below the locked one. */
function rootDowngrades({ solution, problem }: SolvedChange, context: SuggestionContext) {
  const locked = new Map(context.locked.map((each) => [each.repository, each.version]));
  return packageRoots(context.problem).flatMap((root) => {
    if (root.pin !== undefined) return [];
    const repository = effectiveRepository(problem, root.repository);
    const versions = [locked.get(repository), versionIn(solution, repository)];
    const [from, to] = versions.map((text) => text && parseVersion(text, problem.dialect));
    if (!from || !to || compareVersions(to, from) >= 0) return [];
    const note = `the root ${repository} is downgraded from ${from.raw} to ${to.raw}`;
    return [{ isMajor: to.major < from.major, note }];
  });
}
