import type { Problem } from '../solver/problem.js';
import type { Solving } from '../solver/question.js';
import type { Proof } from '../solver/search-result.js';
import { solve } from '../solver/solve.js';
import { debatableKeys } from './proof-facts.js';
import { STEPS_PER_CONFLICT, stepCount } from './step-count.js';

/** Steps after which a smaller proof is no longer looked for: a second or two. */
const MAX_STEPS = 100_000;

/**
 * Step 1 of an explanation: a proof from as few debatable facts as possible. Without any one of
 * them, the rest can be satisfied. (No smaller subset of them will do; a smaller set of others might.)
 *
 * Leaves facts out by halves, then quarters, down to one at a time; whatever a proof from the
 * rest does not need goes with them. Where that takes very long, the smallest proof so far stands.
 */
export function* minimalProof(problem: Problem, proof: Proof): Solving<Proof> {
  let best = proof;
  let core = [...debatableKeys(proof)].sort();
  let stepsLeft = MAX_STEPS;
  for (const size of partSizes(core.length)) {
    for (let from = 0; from < core.length;) {
      const [before, after] = [core.slice(0, from), core.slice(from + size)];
      const limited = { ...problem, maxConflicts: stepsLeft / STEPS_PER_CONFLICT };
      const result = yield* solve(limited, new Set([...before, ...after]));
      stepsLeft -= stepCount(result.effort);
      if (result.status === 'gave-up' || stepsLeft <= 0) return best;
      if (result.status === 'solved') {
        // Something in this part is needed: on to the next.
        from += size;
        continue;
      }
      best = result;
      const needed = debatableKeys(result);
      const kept = before.filter((key) => needed.has(key));
      core = [...kept, ...after.filter((key) => needed.has(key))];
      from = kept.length;
    }
  }
  return best;
}

/** Half of so many facts, a quarter, and so on down to one at a time. */
function* partSizes(facts: number): Iterable<number> {
  for (let size = Math.ceil(facts / 2); size > 1; size = Math.ceil(size / 2)) yield size;
  yield 1;
}
