import type { RequestEdit } from '../model/edit/request-edit.js';
import type { Problem } from '../solver/problem.js';
import type { Proof } from '../solver/search-result.js';
import { coreEntries, type CoreEntry } from './core-entries.js';
import { namedFacts, type NamedFact } from './named-fact.js';
import { NounPhrases } from './sentences/noun-phrases.js';
import { proofText } from './sentences/proof-text.js';
import { refusalGraph, type RefusalGraph } from './short/refusal-graph.js';
import { summaryOf, type Summary } from './short/summary.js';

/** Why there is no answer, for people and for programs. */
export interface Refusal {
  /** In a few lines. */
  readonly summary: Summary;
  /** In full. Sentences, a blank line between them; a reason a line. */
  readonly explanation: string;
  readonly core: readonly CoreEntry[];
  /** What `core` says, for programs. */
  readonly facts: readonly NamedFact[];
  /** The same, to be drawn. */
  readonly graph: RefusalGraph;
  readonly suggestions: readonly Suggestion[];
}

/** A change that makes the set solvable: it was made, and solved. */
export interface Suggestion {
  readonly text: string;
  /** What to change; empty: it is advice alone. */
  readonly edits: readonly RequestEdit[];
}

/** Steps 2 and 3 of an explanation: a proof in words, and what it rests on. */
export function refusalOf(problem: Problem, proof: Proof): Omit<Refusal, 'suggestions'> {
  const nouns = new NounPhrases(problem, proof.encoder);
  return {
    summary: summaryOf(problem, proof),
    explanation: proofText(proof.because, nouns),
    core: coreEntries(proof, nouns),
    facts: namedFacts(proof),
    graph: refusalGraph(problem, proof),
  };
}
