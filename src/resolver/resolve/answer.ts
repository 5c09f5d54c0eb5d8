import type { Movement, Requirers } from './movements.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import type { ReadCounts } from '../driver/read-stats.js';
import type { Refusal } from '../explain/refusal.js';
import type { Effort } from '../solver/search-result.js';

/** The result of resolving a request. */
export type Answer = Solved | Unsolvable | GaveUp;

export interface Solved {
  readonly status: 'solved';
  readonly target: Target;
  readonly lockfile: Lockfile;
  /** Repositories in the order of decision. */
  readonly order: readonly string[];
  /** Roots and packages that require each package. */
  readonly requirers: Requirers;
  /** Pinned packages that nothing else requires. */
  readonly unrequired: readonly Repository[];
  /** Differences from the old lockfile, with reasons. Without one, every package is added. */
  readonly changes: readonly Movement[];
  /** Locked tags that point to another digest now. If any, the user has to confirm the answer. */
  readonly movedTags: readonly Mismatch[];
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  readonly stats: Stats;
}

export interface Unsolvable extends Refusal {
  readonly status: 'unsolvable';
  readonly target: Target;
  /** Locked tags that point to another digest now, which may be the cause. */
  readonly movedTags: readonly Mismatch[];
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  readonly stats: Stats;
}

export interface GaveUp {
  readonly status: 'gave-up';
  /** The read that was pending when time ran out; undefined: the search itself took too long. */
  readonly reason?: string | undefined;
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  readonly stats: Stats;
}

/** Number of reads up to the answer, and the effort of all searches. */
export type Stats = ReadCounts & Effort;
