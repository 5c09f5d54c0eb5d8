import type { Fact } from '../solver/fact.js';
import { factKey, isDebatable } from '../solver/fact-key.js';
import type { Incompatibility } from '../solver/incompatibility.js';
import type { Proof } from '../solver/search-result.js';

/** The facts that a proof rests on, each once, in the order in which the proof needs them. */
export function proofFacts({ because }: Pick<Proof, 'because'>): Fact[] {
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
export function debatableKeys(proof: Proof): Set<string> {
  const debatable = proofFacts(proof).filter(isDebatable);
  return new Set(debatable.map((fact) => factKey(fact, proof.encoder)));
}
