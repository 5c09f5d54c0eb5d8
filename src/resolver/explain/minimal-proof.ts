import {
  removableKeys,
  type Proof,
  stepCount,
  STEPS_PER_CONFLICT,
} from '../solver/search-result.js';
import type { Problem } from '../solver/problem.js';
import type { Solving } from '../solver/question.js';
import { solve } from '../solver/solve.js';

/** Number of steps after which the search for a smaller proof ends: one or two seconds. */
const MAX_STEPS = 100_000;

/**
 * Step 1 of an explanation: returns a proof from as few removable facts as possible. Without any one
 * of them, the rest can be satisfied. A smaller set of other facts may exist.
 *
 * The search leaves out half of the facts, then a quarter, down to one at a time, and also every
 * fact that a proof from the rest does not need. If it takes too long, it returns the smallest
 * proof so far.
 */
export function* minimalProof(problem: Problem, proof: Proof): Solving<Proof> {
  let bestProof = proof;
  let core = [...removableKeys(proof)].sort();
  let stepsLeft = MAX_STEPS;
  for (const size of partSizes(core.length)) {
    for (let from = 0; from < core.length;) {
      const [before, after] = [core.slice(0, from), core.slice(from + size)];
      const limitedProblem = { ...problem, maxConflicts: stepsLeft / STEPS_PER_CONFLICT };
      const result = yield* solve(limitedProblem, new Set([...before, ...after]));
      stepsLeft -= stepCount(result.effort);
      if (result.status === 'gave-up' || stepsLeft <= 0) return bestProof;
      if (result.status === 'solved') {
        // This part has a fact that the proof needs, so it stays.
        from += size;
        continue;
      }
      bestProof = result;
      const needed = removableKeys(result);
      const neededBefore = before.filter((key) => needed.has(key));
      core = [...neededBefore, ...after.filter((key) => needed.has(key))];
      from = neededBefore.length;
    }
  }
  return bestProof;
}

/** Yields half of the number of facts, a quarter, and so on down to 1. */
function* partSizes(facts: number): Iterable<number> {
  for (let size = Math.ceil(facts / 2); size > 1; size = Math.ceil(size / 2)) yield size;
  yield 1;
}
