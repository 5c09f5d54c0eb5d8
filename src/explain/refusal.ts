import type { Problem } from '../solver/problem.js';
import type { Proof } from '../solver/search-result.js';
import { coreEntries, type CoreEntry } from './core-entries.js';
import { namedFacts, type NamedFact } from './named-fact.js';
import { NounPhrases } from './sentences/noun-phrases.js';
import { proofText } from './sentences/proof-text.js';

/** Why there is no answer, for people and for programs. */
export interface Refusal {
  /** Sentences, a blank line between them; a reason a line. */
  readonly explanation: string;
  readonly core: readonly CoreEntry[];
  /** What `core` says, for programs. */
  readonly facts: readonly NamedFact[];
  readonly suggestions: readonly Suggestion[];
}

/** A change that makes the set solvable: it was made, and solved. */
export interface Suggestion {
  readonly text: string;
}

/** Steps 2 and 3 of an explanation: a proof in words, and what it rests on. */
export function refusalOf(problem: Problem, proof: Proof): Omit<Refusal, 'suggestions'> {
  const nouns = new NounPhrases(problem, proof.encoder);
  return {
    explanation: proofText(proof.because, nouns),
    core: coreEntries(proof, nouns),
    facts: namedFacts(proof),
  };
}
