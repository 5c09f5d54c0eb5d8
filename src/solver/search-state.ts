import type { DecisionQueue } from './decision-queue.js';
import type { Encoder } from './encoder/encoder.js';
import type { Problem } from './problem.js';
import type { Search } from './search.js';

/** What one run of `solve` works on, for the parts that it is made of. */
export interface SearchState {
  readonly problem: Problem;
  readonly search: Search;
  readonly encoder: Encoder;
  readonly queue: DecisionQueue;
  /** Counted up as the search goes on. */
  readonly effort: { decisions: number; conflicts: number };
}
