import { DecisionQueue } from './decision-queue.js';
import { Encoder } from './encoder/encoder.js';
import type { Problem } from './problem.js';
import { Search } from './search.js';

/** What one run of `solve` works on, for the parts that it is made of. */
export interface SolverState {
  readonly problem: Problem;
  readonly search: Search;
  readonly encoder: Encoder;
  readonly queue: DecisionQueue;
  /** Counted up as the search goes on. */
  readonly effort: { decisions: number; conflicts: number };
  /** Versions that the driver was told to expect (`prefetch/`). */
  readonly announced: Set<string>;
}

/** Nothing told, nothing decided. `only`: keys of the debatable facts to admit. */
export function startOf(
  problem: Problem,
  only?: ReadonlySet<string>,
  search = new Search(),
): SolverState {
  const encoder = new Encoder(problem, search, only);
  const effort = { decisions: 0, conflicts: 0 };
  return { problem, search, encoder, queue: new DecisionQueue(), effort, announced: new Set() };
}
