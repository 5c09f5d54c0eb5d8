import { DecisionQueue, type DecisionState, preferredValue } from './decisions.js';
import { ForcedPackages, SameNameProviders } from './early-reads.js';
import { Facts, Subjects } from './encoder-context.js';
import { Encoder } from './encoder.js';
import { ABSENT, FIRST } from './incompatibility.js';
import { Prefetcher } from './prefetch.js';
import { effectiveRepository, type Problem } from './problem.js';
import { ask, type Solving } from './question.js';
import type { ChosenOwner, SearchResult, SelectedPackage, Solution } from './search-result.js';
import { Search } from './search.js';
import { ownershipKey } from '../../crossplane/packages/owned-objects.js';
import type { CrdRef } from '../../crossplane/packages/crd-ref.js';
import type { Repository } from '../../crossplane/packages/package.js';

/** Number of conflicts after which the driver is asked whether to continue. */
const CONFLICTS_BETWEEN_CHECKS = 256;

/** Same-name providers with at most this many versions left are read before forced packages. */
const FEW_VERSIONS = 4;

/**
 * Finds the canonical solution, or proves that there is none.
 *
 * `only`: keys of the removable facts to add. Other removable facts are ignored.
 */
export function solve(
  problem: Problem,
  only?: Pick<ReadonlySet<string>, 'has'>,
): Solving<SearchResult> {
  return runSearch(initialState(problem, only));
}

/** The state of one search. */
interface SolverState extends DecisionState {
  readonly encoder: Encoder;
  /** Counts of the steps so far. */
  readonly effort: { decisions: number; conflicts: number };
}

/** Returns the state of a search at its beginning. `only`: keys of the removable facts to add. */
export function initialState(
  problem: Problem,
  only?: Pick<ReadonlySet<string>, 'has'>,
  search = new Search(),
): SolverState {
  const subjects = new Subjects(problem, search);
  const effort = { decisions: 0, conflicts: 0 };
  const state = { problem, search, subjects, queue: new DecisionQueue(), effort };
  const observer = new Prefetcher(state);
  const facts = new Facts(search, subjects, only);
  return { ...state, encoder: new Encoder({ problem, search, subjects, observer, facts }) };
}

/**
 * Runs a search to its end.
 *
 * Packages are decided strictly in the order of the queue, each on its most preferred version that
 * the known facts allow. Only decisions that a conflict disproves are undone.
 *
 * A version is skipped only if an incompatibility implied by the facts forbids it together with the
 * decisions before it. No valid set has these decisions and that version, so the first complete
 * assignment is the canonical one.
 */
export function* runSearch(state: SolverState): Solving<SearchResult> {
  const { search, subjects, encoder, queue, effort } = state;
  const roots = yield* encoder.addRoots();
  queue.append([subjects.crossplane, ...roots]);
  const forced = new ForcedPackages(state, roots);
  const sameName = new SameNameProviders(state);
  for (;;) {
    // Propagate: draw every conclusion from the known facts.
    const conflict = search.propagate();

    // Learn: add the clause that would have prevented the conflict, and backjump.
    if (conflict !== undefined) {
      effort.conflicts++;
      const because = search.learn(conflict);
      if (because.terms.length === 0) {
        return { status: 'unsolvable', because, subjects, effort };
      }
      queue.rewind(search.level);
      if (yield* shouldGiveUp(state)) return { status: 'gave-up', effort };
      continue;
    }

    // Read early: versions that are read whatever is decided.
    if (search.level === 0) {
      if (yield* sameName.readNext(FEW_VERSIONS)) continue;
      if (yield* forced.readNext()) continue;
    }
    if (yield* sameName.readNext(Infinity)) continue;

    // Choose: the first waiting variable and its most preferred value.
    const variable = queue.next();
    if (variable === undefined) return solutionOf(state);
    const value = preferredValue(variable, state);
    if (value === undefined) {
      encoder.closeOwnerVersions(variable);
      continue;
    }

    // Read: facts about the version may forbid it, so propagate before deciding.
    const subject = subjects.subject(variable);
    if (subject.about === 'package' && value !== ABSENT) {
      // Read one version at a time: once a fact forbids it, nothing else must be read for it.
      if (!subject.read.has(value)) {
        yield* encoder.read({ subject, value }, { triesOtherVersions: true });
        continue;
      }
      if (!(yield* encoder.requirements.add(subject, value))) continue;
      if (encoder.requirements.addCycle(subject, value, (other) => queue.value(other))) continue;
    }

    // Decide.
    effort.decisions++;
    search.decide(variable, value);
    queue.decide(value, encoder.required(variable, value));
  }
}

/** Reports whether there were too many conflicts, or the driver ends the search. */
function* shouldGiveUp({ problem, effort }: SolverState): Solving<boolean> {
  const isCheckDue = effort.conflicts % CONFLICTS_BETWEEN_CHECKS === 0;
  if (isCheckDue && !(yield* ask({ ask: 'go-on' }))) return true;
  return effort.conflicts >= problem.maxConflicts;
}

function solutionOf({ subjects, queue, effort }: SolverState): Solution {
  const selected: SelectedPackage[] = [];
  const owners: ChosenOwner[] = [];
  for (const variable of queue.decided()) {
    const subject = subjects.subject(variable);
    const value = queue.value(variable)!;
    if (value === ABSENT) continue;
    if (subject.about === 'package') {
      const { repository, versions, metas } = subject;
      selected.push({ repository, version: versions.label(value), meta: metas.get(value)! });
    } else if (subject.about === 'api' && subject.owners.length > 1) {
      const others = subject.owners.map(({ repository }) => repository);
      const [owner] = others.splice(value - FIRST, 1);
      owners.push({ crdRef: subject.crdRef, owner: owner!, others });
    }
  }
  const release = queue.value(subjects.crossplane)! - FIRST;
  return { status: 'solved', release, selected, owners, effort };
}

interface PinnedResult {
  readonly result: SearchResult;
  /** The last problem that was solved: it excludes versions that drop a pinned package. */
  readonly problem: Problem;
  /** Pinned packages that nothing in the solution requires. */
  readonly unrequired: readonly Repository[];
}

/**
 * Solves a problem with pins. A pin selects the version of a locked package, so a solution in which
 * nothing requires that package is not acceptable. It occurs when a package moves to a version
 * without the dependency. Such versions are excluded, and the search is repeated.
 *
 * A pinned package stays unrequired if no package that required it is part of the solution.
 */
export function* solveWithPins(problem: Problem): Solving<PinnedResult> {
  let changedProblem = problem;
  let effort = { decisions: 0, conflicts: 0 };
  for (;;) {
    const last = yield* solve(changedProblem);
    effort = {
      decisions: effort.decisions + last.effort.decisions,
      conflicts: effort.conflicts + last.effort.conflicts,
    };
    const result = { ...last, effort };
    if (result.status !== 'solved') return { result, problem: changedProblem, unrequired: [] };
    const unrequired = unrequiredPins(result, changedProblem);
    const droppingVersions = unrequired.flatMap((each) =>
      each.droppedBy.map((by) => ({ ...each, by })),
    );
    if (droppingVersions.length === 0) {
      const pinned = unrequired.map(({ root }) => root.repository);
      return { result, problem: changedProblem, unrequired: pinned };
    }
    if (effort.conflicts >= problem.maxConflicts) {
      return { result: { status: 'gave-up', effort }, problem: changedProblem, unrequired: [] };
    }
    const exclude = new Map(changedProblem.exclude);
    for (const { root, by } of droppingVersions) {
      const selector = { form: 'tag', tag: by.version } as const;
      const rule = { selector, origin: root.origin, drops: root.repository };
      exclude.set(by.repository, [...(exclude.get(by.repository) ?? []), rule]);
    }
    changedProblem = { ...changedProblem, exclude };
  }
}

/**
 * Returns the pins that nothing requires. `droppedBy`: packages that required the pinned package in
 * the lockfile, at versions that no longer do.
 */
function unrequiredPins(solution: Solution, problem: Problem) {
  const pins = problem.roots.flatMap((root) =>
    root.requires === 'package' && root.pin !== undefined ? [{ root, pin: root.pin }] : [],
  );
  if (pins.length === 0 || problem.ignoreRequirements) return [];
  const { reached, requirementsOf } = requirementsIn(solution, problem);
  return pins.flatMap(({ root, pin: { requiredBy } }) => {
    if (reached.has(effectiveRepository(problem, root.repository))) return [];
    const leadsToPin = ({ repository }: SelectedPackage) =>
      repository === root.repository || requiredBy.has(repository);
    const droppedBy = [...reached.values()].filter(
      (one) => requiredBy.has(one.repository) && !requirementsOf(one).some(leadsToPin),
    );
    return [{ root, droppedBy }];
  });
}

/**
 * Returns the packages of a solution that the roots require, directly or not, and a function that
 * returns what a package requires. Pins are ignored.
 */
function requirementsIn({ selected }: Solution, problem: Problem) {
  const byRepository = new Map(selected.map((one) => [one.repository, one]));
  const named = (repository: Repository) =>
    byRepository.get(effectiveRepository(problem, repository)) ?? [];
  const ownersOf = (crdRef: CrdRef) => {
    // Any package may own a CRD that is not required by name.
    if (!('crd' in crdRef)) return selected;
    const key = ownershipKey({ kind: 'CRD', name: crdRef.crd });
    return selected.filter(({ meta }) => meta.owns.some((object) => ownershipKey(object) === key));
  };
  const requirementsOf = ({ meta }: SelectedPackage) =>
    meta.requirements.flatMap((each) =>
      each.requires === 'package' ? named(each.repository) : ownersOf(each.demand),
    );
  const next = problem.roots.flatMap((root) => {
    if (root.requires === 'api') return ownersOf(root.crd);
    return root.requires === 'package' && root.pin === undefined ? named(root.repository) : [];
  });
  const reached = new Map<Repository, SelectedPackage>();
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    if (reached.has(one.repository)) continue;
    reached.set(one.repository, one);
    next.push(...requirementsOf(one));
  }
  return { reached, requirementsOf };
}
