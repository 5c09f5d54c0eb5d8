import type { Repository } from '../../model/package.js';
import type { Fact } from '../../solver/fact.js';
import type { Encoder } from '../../solver/encoder/encoder.js';
import type { Problem } from '../../solver/problem.js';
import type { Proof } from '../../solver/search-result.js';
import { VersionSet } from '../../solver/version-set.js';
import { proofFacts } from '../proof-facts.js';
import { NounPhrases } from '../sentences/noun-phrases.js';
import { inTellingOrder } from '../telling-order.js';
import { Chains } from './chains.js';
import { CoreGraph } from './core-graph.js';
import { meetingPoints, variablesIn } from './meeting-points.js';
import { shortNames } from './short-names.js';

/** A refusal in a few lines. */
export interface Summary {
  /** What is wrong, in one sentence without its full stop; at times there is no more to say. */
  readonly headline: string;
  /** Why: sentences, a line each. What belongs to the line above is indented by two blanks more. */
  readonly lines: readonly string[];
  /** The same with every name in full, for programs. */
  readonly fullLines: readonly string[];
}

/**
 * Part of step 3: the facts of a proof along the paths that lead to them. Who wants what, from the
 * roots inwards, one chain after the other; then where the chains meet, and cannot.
 */
export function summaryOf(problem: Problem, { because, encoder }: Proof): Summary {
  const facts = inTellingOrder(proofFacts({ because }), encoder);
  const graph = new CoreGraph(facts, encoder);
  const inFull = new NounPhrases(problem, encoder);
  const fullLines = told(graph, inFull);
  const [only, ...more] = fullLines;
  if (only !== undefined && more.length === 0) {
    return { headline: only.slice(0, -1), lines: [], fullLines: [] };
  }
  const { name, note } = shortNames(repositoriesIn(facts, encoder));
  const lines = told(graph, new NounPhrases(problem, encoder, name));
  return {
    headline: `no set of versions satisfies everything on Crossplane ${inFull.releases(VersionSet.all)}`,
    lines: note === undefined ? lines : [...lines, note],
    fullLines,
  };
}

function told(graph: CoreGraph, nouns: NounPhrases): string[] {
  const chains = new Chains(graph, nouns);
  const lines = chains.lines();
  const meetings = meetingPoints(graph, chains.told, nouns);
  return [...lines, ...meetings.map(({ text }, i) => `${i === 0 ? 'But' : 'And'} ${text}.`)];
}

/** Every package that a fact is about. */
function repositoriesIn(facts: readonly Fact[], encoder: Encoder): Repository[] {
  const variables = new Set(facts.flatMap(variablesIn));
  return [...variables].flatMap((variable) => {
    const subject = encoder.subject(variable);
    return subject.about === 'package' ? [subject.repository] : [];
  });
}
