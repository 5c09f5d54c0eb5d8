import { type DecisionState, DecisionQueue } from './decisions.js';
import { Subjects } from './encoder-context.js';
import { Encoder } from './encoder.js';
import { Prefetcher } from './prefetch.js';
import type { Problem } from './problem.js';
import { Search } from './search.js';

/** The state of one run of `solve`. */
export interface SolverState extends DecisionState {
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
  const encoder = new Encoder({ problem, search, subjects, observer }, only);
  return { ...state, encoder };
}
