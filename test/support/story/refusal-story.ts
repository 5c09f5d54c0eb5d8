import { minimalProof } from '../../../src/explain/minimal-proof.js';
import type { CoreEntry } from '../../../src/explain/core-entries.js';
import { refusalOf, type Refusal } from '../../../src/explain/refusal.js';
import { answered, replyTo, story, type StoryOptions } from './story.js';
import type { Universe } from './universe.js';

/** Why a small problem has no answer. */
export interface RefusalStory extends Omit<Refusal, 'suggestions'> {
  /** The sentences, a line each. */
  readonly lines: readonly string[];
  /** The facts that the explanation rests on, each as a clause. */
  readonly clauses: readonly string[];
  readonly kinds: readonly CoreEntry['kind'][];
}

/** Solves a small problem that has no answer, and explains. */
export function refusalStory(
  universe: Universe,
  roots: readonly string[],
  options: StoryOptions = {},
): RefusalStory {
  const { problem, proof } = story(universe, roots, options);
  if (proof === undefined) throw new Error('there is an answer');
  const smaller = answered(minimalProof(problem, proof), (each) => replyTo(each, universe));
  const refusal = refusalOf(problem, smaller);
  return {
    ...refusal,
    lines: refusal.explanation.split('\n').filter((line) => line !== ''),
    clauses: refusal.core.map(({ text }) => text),
    kinds: refusal.core.map(({ kind }) => kind),
  };
}
