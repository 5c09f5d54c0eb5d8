import type { ReadCounts } from '../../driver/read-stats.js';
import type { Refusal } from '../../explain/refusal.js';
import type { Lockfile } from '../../lock/lockfile.js';
import type { Target } from '../../model/target/target.js';
import type { Effort } from '../../solver/search-result.js';
import type { Mismatch } from '../mismatch.js';
import type { Movement } from './movement.js';
import type { Requirers } from './requirers.js';

/** What becomes of a request. */
export type Answer = Solved | Unsolvable | GaveUp;

export interface Solved {
  readonly status: 'solved';
  readonly target: Target;
  readonly lockfile: Lockfile;
  /** Repositories in the order in which they were decided. */
  readonly order: readonly string[];
  /** Who asks for each package. */
  readonly requirers: Requirers;
  /** What differs from the lockfile given, or from nothing, and why. */
  readonly changes: readonly Movement[];
  /** Locked versions that name other bytes now: an answer that is not to be taken unasked. */
  readonly movedTags: readonly Mismatch[];
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  readonly stats: Stats;
}

export interface Unsolvable extends Refusal {
  readonly status: 'unsolvable';
  readonly target: Target;
  /** Locked versions that name other bytes now, which may be why. */
  readonly movedTags: readonly Mismatch[];
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  readonly stats: Stats;
}

export interface GaveUp {
  readonly status: 'gave-up';
  /** What it was waiting for when its time was up; undefined: for nothing, it was searching. */
  readonly reason?: string | undefined;
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  readonly stats: Stats;
}

/** What it took: reads up to the answer, and the effort of all searches. */
export type Stats = ReadCounts & Effort;
