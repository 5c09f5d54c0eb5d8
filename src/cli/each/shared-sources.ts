import { noStats, type ReadStats } from '../../driver/read-stats.js';
import type { TimeBudget } from '../../model/time/time-budget.js';
import type { Io } from '../io/io.js';

/** What the runs of one command for many sets open once, and read once. */
export class SharedSources {
  /** Of the whole run: what is said of a source is not about one set. */
  readonly io: Io;
  /** The time of the whole run, for what waits on behalf of all sets. */
  readonly timeout: TimeBudget | undefined;
  /** What was read, for all sets together. */
  readonly stats: ReadStats = noStats();
  readonly #opened = new Map<string, Promise<unknown>>();

  constructor(io: Io, timeout: TimeBudget | undefined) {
    this.io = io;
    this.timeout = timeout;
  }

  /** What `open` gives at the first call for `key`, failure included. */
  once<T>(key: string, open: () => Promise<T>): Promise<T> {
    const known = this.#opened.get(key) ?? open();
    this.#opened.set(key, known);
    return known as Promise<T>; // a key stands for one thing
  }
}
