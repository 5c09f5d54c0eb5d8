import type { PackageSubject } from './encoder/subject.js';
import { ABSENT } from './incompatibility.js';
import { preferredValue } from './preferred-value.js';
import { announceWaiting } from './prefetch/announce-waiting.js';
import { CertainPackages } from './prefetch/certain-packages.js';
import { Namesakes } from './prefetch/namesakes.js';
import type { Problem } from './problem.js';
import { ask, type Solving } from './question.js';
import type { SearchResult } from './search-result.js';
import { startOf, type SolverState } from './solver-state.js';
import { solutionOf } from './solution.js';

/** How many conflicts pass between two questions whether to go on. */
const CONFLICTS_BETWEEN_CHECKS = 256;

/** So few versions are read of a package's namesake even before what every answer contains. */
const FEW = 4;

/**
 * Finds the one answer, or proves that there is none.
 *
 * `only`: keys of the debatable facts to admit; what is left out is taken not to hold.
 */
export function solve(problem: Problem, only?: ReadonlySet<string>): Solving<SearchResult> {
  return searchFrom(startOf(problem, only));
}

/**
 * Packages are decided strictly in the order of the queue, each on its most preferred version that
 * nothing known forbids, and only what a conflict disproves is taken back.
 *
 * Whenever a version is passed over, an incompatibility implied by the facts forbids it together
 * with the decisions before it; so no valid set has these decisions and that version. The first
 * complete assignment is therefore the canonical one.
 */
export function* searchFrom(state: SolverState): Solving<SearchResult> {
  const { search, encoder, queue, effort } = state;
  const roots = yield* encoder.tellRoots();
  queue.append([encoder.crossplane, ...roots]);
  const certain = new CertainPackages(state, roots);
  const namesakes = new Namesakes(state);
  for (;;) {
    // Propagate: draw every conclusion from what is known.
    const conflict = search.propagate();

    // Learn: keep what would have prevented the conflict, and take back what it disproves.
    if (conflict !== undefined) {
      effort.conflicts++;
      const because = search.learn(conflict);
      if (because.terms.length === 0) return { status: 'unsolvable', because, encoder, effort };
      queue.rewind(search.level);
      if (yield* isTimeToGiveUp(state)) return { status: 'gave-up', effort };
      continue;
    }
    if (search.level === 0) {
      if (namesakes.areThere && (yield* namesakes.readNext(FEW))) continue;
      if (yield* certain.readNext()) continue;
    }
    if (namesakes.areThere && (yield* namesakes.readNext(Infinity))) continue;

    // Choose: the head of the queue, and its most preferred value.
    const variable = queue.next();
    if (variable === undefined) return solutionOf(state);
    const value = preferredValue(variable, state);
    if (value === undefined) {
      encoder.tellNoOtherOwner(variable);
      continue;
    }

    // Read: what the value implies may forbid it, so propagate before deciding.
    const subject = encoder.subject(variable);
    if (subject.about === 'package' && value !== ABSENT) {
      if (!encoder.isTold(subject, value) && !(yield* tellMore(subject, value, state))) continue;
      if (encoder.tellCycle(subject, value, (other) => queue.value(other))) continue;
    }

    // Decide.
    effort.decisions++;
    search.decide(variable, value);
    queue.decide(value, encoder.necessary(variable, value));
  }
}

/**
 * Tells the search more of what a version implies; true: now that is everything. One thing at a
 * time: a version that one of them forbids costs no further reading.
 */
function* tellMore(subject: PackageSubject, value: number, state: SolverState): Solving<boolean> {
  const { encoder } = state;
  if (subject.read.has(value)) return yield* encoder.tellRequirements(subject, value);
  if (encoder.announcements.areHeeded) yield* announceWaiting(state, { subject, value });
  yield* encoder.read(subject, value);
  return false;
}

/** Whether there were too many conflicts; now and then the driver is asked too. */
function* isTimeToGiveUp({ problem, effort }: SolverState): Solving<boolean> {
  const isCheckDue = effort.conflicts % CONFLICTS_BETWEEN_CHECKS === 0;
  if (isCheckDue && !(yield* ask({ ask: 'go-on' }))) return true;
  return effort.conflicts >= problem.maxConflicts;
}
