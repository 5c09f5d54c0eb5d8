import { minimalProof } from '../../../src/resolver/explain/minimal-proof.js';
import { type CoreEntry, type Refusal } from '../../../src/resolver/explain/refusal.js';
import { refusalOf } from '../../../src/resolver/explain/explain-refusal.js';
import { answered, replyTo, story, type StoryOptions } from './story.js';
import type { Universe } from './universe.js';

/** The explanation of a small unsolvable problem. */
export interface RefusalStory extends Omit<Refusal, 'suggestions'> {
  /** The sentences, one per line. */
  readonly lines: readonly string[];
  /** The facts of the explanation as clauses. */
  readonly clauses: readonly string[];
  readonly kinds: readonly CoreEntry['kind'][];
}

/** Solves a small unsolvable problem and explains the result. */
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
