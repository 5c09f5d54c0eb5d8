import type { Driver } from '../../driver/driver.js';
import { OutOfTime } from '../../model/time/out-of-time.js';
import { SourceError } from '../../model/source-error.js';
import type { Target } from '../../model/target/target.js';
import type { Problem } from '../../solver/problem.js';
import type { SearchResult } from '../../solver/search-result.js';
import { solve } from '../../solver/solve.js';
import { STEPS_PER_CONFLICT, stepCount } from '../step-count.js';

/** How many package versions may be read in one trial. */
const MAX_VERSIONS_PER_TRIAL = 250;
/** How many package versions may be read in all trials together. */
const MAX_VERSIONS_READ = 1_000;
/** How many conflicts the search of one trial may meet. */
const MAX_CONFLICTS = 2_000;
/** How many steps all trials together may take: about a second. */
const MAX_STEPS = 25_000;

/** Solves changed problems, within limits on what all of them together may cost. */
export class Trials {
  readonly #driver: Driver;
  #stepsLeft = MAX_STEPS;
  #versionsLeft = MAX_VERSIONS_READ;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** Nothing further can be tried. */
  get areSpent(): boolean {
    return this.#stepsLeft <= 0 || this.#versionsLeft <= 0;
  }

  /** undefined: whether it can be solved was not found out within the limits. */
  async attempt(problem: Problem, targets: readonly Target[]): Promise<SearchResult | undefined> {
    if (this.areSpent) return undefined;
    const maxConflicts = Math.min(MAX_CONFLICTS, Math.ceil(this.#stepsLeft / STEPS_PER_CONFLICT));
    const maxRead = Math.min(MAX_VERSIONS_PER_TRIAL, this.#versionsLeft);
    const { fetched: before } = this.#driver.counts;
    const search = solve({ ...problem, maxConflicts });
    const result = await unlessSourceFails(this.#driver.driveBriefly(search, targets[0]!, maxRead));
    const read = this.#driver.counts.fetched - before;
    this.#versionsLeft -= read;
    // A trial that ends early has taken a step for each version it was told of, at least.
    this.#stepsLeft -= result === undefined ? maxRead : stepCount(result.effort);
    return result;
  }
}

/** What a trial would have to read and cannot is no reason to give no answer. */
async function unlessSourceFails<T>(trial: Promise<T>): Promise<T | undefined> {
  try {
    return await trial;
  } catch (error) {
    if (error instanceof SourceError || error instanceof OutOfTime) return undefined;
    throw error;
  }
}
