import type { PackageSubject, ProofSubjects } from '../solver/encoder-context.js';
import {
  type Fact,
  factKey,
  type FactOf,
  type Incompatibility,
  isRemovable,
  type Term,
} from '../solver/incompatibility.js';
import type { Proof } from '../solver/search-result.js';

/** Returns the facts on which a proof rests, each once, in the order in which the proof uses them. */
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

/** Returns the facts of some kinds on which a proof rests. */
export function factsOf<Kind extends Fact['fact']>(
  proof: Pick<Proof, 'because'>,
  ...kinds: readonly Kind[]
): FactOf<Kind>[] {
  const isOfKind = (fact: Fact): fact is FactOf<Kind> => kinds.some((kind) => kind === fact.fact);
  return proofFacts(proof).filter(isOfKind);
}

/** Returns the package that a term is about. Throws an error if it is not about a package. */
export function packageOf({ variable }: Term, subjects: ProofSubjects): PackageSubject {
  const subject = subjects.subject(variable);
  if (subject.about !== 'package') throw new Error('not about a package');
  return subject;
}

/** Joins the versions of two terms of one variable. */
export function unionOf(a: Term, b: Term): Term {
  return { variable: a.variable, values: a.values.or(b.values) };
}

/** Returns keys of the removable facts of a proof. */
export function removableKeys(proof: Proof): Set<string> {
  const debatable = proofFacts(proof).filter(isRemovable);
  return new Set(debatable.map((fact) => factKey(fact, proof.subjects)));
}
