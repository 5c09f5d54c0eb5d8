import type { Target } from '../../crossplane/releases/target.js';
import type { Driver } from '../driver/driver.js';
import type { Problem } from '../solver/problem.js';
import { type SearchResult, stepCount, STEPS_PER_CONFLICT } from '../solver/search-result.js';
import { solveWithPins } from '../solver/solve.js';

/** Maximum number of package versions that one trial may read. */
const MAX_VERSIONS_PER_TRIAL = 250;
/** Maximum number of package versions that all trials together may read. */
const MAX_VERSIONS_READ = 1_000;
/** Maximum number of conflicts in the search of one trial. */
const MAX_CONFLICTS = 2_000;
/** Maximum number of steps of all trials together: about a second. */
const MAX_STEPS = 25_000;
/** Number of steps reserved for other trials after versions of the roots were tried. */
const RESERVED_STEPS = 5_000;

/** Solves changed problems within a budget that all trials share. */
export class Trials {
  readonly #driver: Driver;
  #stepsLeft = MAX_STEPS;
  #versionsLeft = MAX_VERSIONS_READ;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** Allows a few more trials, whatever the earlier trials cost. */
  addReserve(): void {
    this.#stepsLeft = Math.max(this.#stepsLeft, RESERVED_STEPS);
    this.#versionsLeft = Math.max(this.#versionsLeft, MAX_VERSIONS_PER_TRIAL);
  }

  /** Solves a problem; undefined: no budget, a source failure, or an unrequired pinned package. */
  async attempt(problem: Problem, targets: readonly Target[]): Promise<SearchResult | undefined> {
    if (this.#stepsLeft <= 0 || this.#versionsLeft <= 0) return undefined;
    const maxConflicts = Math.min(MAX_CONFLICTS, Math.ceil(this.#stepsLeft / STEPS_PER_CONFLICT));
    const maxRead = Math.min(MAX_VERSIONS_PER_TRIAL, this.#versionsLeft);
    const { fetched: before } = this.#driver.counts;
    const search = solveWithPins({ ...problem, maxConflicts });
    const found = await this.#driver.driveWithLimit(search, targets[0]!, maxRead);
    const result = found?.result;
    this.#versionsLeft -= this.#driver.counts.fetched - before;
    // A trial that ends early took at least one step for each version that it read.
    this.#stepsLeft -= result === undefined ? maxRead : stepCount(result.effort);
    return found?.unrequired.length === 0 ? result : undefined;
  }
}
