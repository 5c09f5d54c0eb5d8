import type { Fact } from '../solver/fact.js';
import { factKey, isDebatable } from '../solver/fact-key.js';
import type { Incompatibility } from '../solver/incompatibility.js';
import type { Problem } from '../solver/problem.js';
import type { Solving } from '../solver/question.js';
import { solve } from '../solver/solve.js';
import type { Effort, Proof } from '../solver/search-result.js';

/** Steps after which a smaller proof is no longer looked for: a second or two. */
const MOST_STEPS = 100_000;
/** What one conflict costs, in decisions. */
const CONFLICT = 20;

/** How much was done, in steps of about the same length. */
export function steps({ decisions, conflicts }: Effort): number {
  return decisions + conflicts * CONFLICT;
}

/** The facts a proof rests on, each once, in the order in which the proof needs them. */
export function leaves(because: Incompatibility): Fact[] {
  const facts: Fact[] = [];
  const seen = new Set<Incompatibility>();
  const stack = [because];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next.cause.fact === 'derived') stack.push(...next.cause.parents.toReversed());
    else facts.push(next.cause);
  }
  return facts;
}

/** Keys of the debatable facts of a proof. */
export function factsOf({ because, encoder }: Proof): Set<string> {
  const debatable = leaves(because).filter(isDebatable);
  return new Set(debatable.map((fact) => factKey(fact, encoder)));
}

/**
 * A proof from as few debatable facts as possible: without any one of them, the rest can be
 * satisfied. (No smaller subset of them will do; a smaller set of others might.)
 *
 * Leaves facts out by halves, then quarters, down to one at a time; whatever a proof from the
 * rest does not need goes with them. Where that takes very long, the smallest proof so far stands.
 */
export function* minimalProof(problem: Problem, proof: Proof): Solving<Proof> {
  let best = proof;
  let core = [...factsOf(proof)].sort();
  let left = MOST_STEPS;
  for (
    let size = Math.ceil(core.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < core.length;) {
      const rest = new Set([...core.slice(0, from), ...core.slice(from + size)]);
      const outcome = yield* solve({ ...problem, maxConflicts: left / CONFLICT }, rest);
      left -= steps(outcome.effort);
      if (outcome.status === 'gave-up' || left <= 0) return best;
      if (outcome.status === 'solved') {
        from += size;
        continue;
      }
      best = outcome;
      const needed = factsOf(outcome);
      const before = core.slice(0, from).filter((key) => needed.has(key));
      core = [...before, ...core.slice(from + size).filter((key) => needed.has(key))];
      from = before.length;
    }
  }
  return best;
}
