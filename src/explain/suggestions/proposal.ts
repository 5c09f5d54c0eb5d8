import type { Repository } from '../../model/package.js';
import type { Target } from '../../model/target/target.js';
import type { Problem } from '../../solver/problem.js';
import type { Proof, Solution } from '../../solver/search-result.js';
import type { Suggestion } from '../refusal.js';

/** What suggestions are drawn from. */
export interface Stuck {
  readonly problem: Problem;
  readonly targets: readonly Target[];
  readonly proof: Proof;
  /** The problem as other releases would have it; those with the same rules in one. */
  readonly problemFor: (targets: readonly Target[]) => Problem | undefined;
  /** Every repository that the sources can list. */
  readonly repositories: readonly Repository[];
}

/** A change that might help. */
export interface Proposal {
  /** Of proposals that serve the same end, the first that works is enough. */
  readonly end: string;
  /** The problem with the change made. */
  readonly problem: Problem;
  readonly targets: readonly Target[];
  /** How to put it, once it has been solved. */
  put(solution: Solution): Put;
}

/** A change in words and as edits. */
export interface Put extends Suggestion {
  /** The problem as the edits have it, where that is not what was solved: it is solved too. */
  readonly problem?: Problem | undefined;
}

/** The version of a package in a solution; undefined: it is not part of it. */
export function versionIn(solution: Solution, repository: Repository): string | undefined {
  return solution.selected.find((one) => one.repository === repository)?.version;
}
