import type { Refusal } from './refusal.js';
import { conflictPoints } from './conflict-points.js';
import { coreEntries } from './core-entries.js';
import { CoreGraph } from './core-graph.js';
import { namedFacts, variablesIn } from './fact-kinds.js';
import { NounPhrases } from './noun-phrases.js';
import { minimalProof } from './minimal-proof.js';
import { inPresentationOrder } from './presentation-order.js';
import { proofFacts } from './proof-facts.js';
import { proofText } from './proof-text.js';
import { refusalGraph } from './refusal-graph.js';
import { Chains } from './requirement-chains.js';
import { InputError } from '../../base/errors.js';
import { shortNames } from '../../crossplane/packages/repository-names.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { Driver } from '../driver/driver.js';
import type { Problem } from '../solver/problem.js';
import type { Proof } from '../solver/search-result.js';
import { VersionSet } from '../solver/version-set.js';
import type { SuggestionContext } from '../suggest/proposal.js';
import { similarRootNotes } from '../suggest/root-corrections.js';
import { suggest } from '../suggest/suggest.js';

/** A request that cannot be satisfied, and what is needed to explain why. */
export interface RefusedRequest extends Omit<SuggestionContext, 'problemFor' | 'repositories'> {
  readonly driver: Driver;
  /** Returns the problem for other releases. Throws an `InputError` if they do not support it. */
  readonly problemFor: (targets: readonly Target[]) => Problem;
}

/**
 * Explains why a request cannot be satisfied, in four steps:
 *
 * 1. `minimalProof` drops every fact that the proof does not need.
 * 2. `inPresentationOrder` merges similar facts and puts them in the order of presentation.
 * 3. `refusalOf` puts them into words: a summary and `proofText` for people, `coreEntries` and
 *    `namedFacts` for programs.
 * 4. `suggest` searches for changes that help, by solving the changed problems.
 */
export async function explainRefusal({
  driver,
  ...refused
}: RefusedRequest): Promise<Refusal & { readonly notes: readonly string[] }> {
  const { problem, targets } = refused;
  const smaller = minimalProof(problem, refused.proof);
  const proof = await driver.driveWithoutReading(smaller, targets[0]!);
  const problemFor = (others: readonly Target[]) => {
    if (refused.isReleaseNamed) return undefined;
    try {
      return refused.problemFor(others);
    } catch (error) {
      // A release that does not support the request cannot be suggested.
      if (error instanceof InputError) return undefined;
      throw error;
    }
  };
  const repositories = await driver.repositories();
  const context = { ...refused, proof, problemFor, repositories };
  const suggestions = await suggest(context, driver);
  return { ...refusalOf(problem, proof), suggestions, notes: similarRootNotes(context) };
}

/** Steps 2 and 3 of an explanation: returns a proof in words, and its facts. */
export function refusalOf(problem: Problem, proof: Proof): Omit<Refusal, 'suggestions'> {
  const { encoder } = proof;
  const facts = inPresentationOrder(proofFacts(proof), encoder);
  const subjects = [...new Set(facts.flatMap(variablesIn))].map((each) => encoder.subject(each));
  const { name, note } = shortNames(
    subjects.flatMap((each) => (each.about === 'package' ? [each.repository] : [])),
  );
  const nouns = new NounPhrases(problem, encoder);
  const shortNouns = new NounPhrases(problem, encoder, name);
  const graph = new CoreGraph(facts, encoder);
  const { lines, conflicts, inChains } = descriptionOf(graph, shortNouns);
  const fullLines = descriptionOf(graph, nouns).lines;
  const isOneLine = fullLines.length === 1;
  return {
    summary: {
      headline: isOneLine
        ? fullLines[0]!.slice(0, -1)
        : `no set of versions satisfies everything on Crossplane ${nouns.releases(VersionSet.all)}`,
      lines: isOneLine ? [] : [...lines, ...(note === undefined ? [] : [note])],
      fullLines: isOneLine ? [] : fullLines,
    },
    explanation: proofText(proof.because, nouns),
    core: coreEntries(facts, nouns),
    facts: namedFacts(proof),
    graph: refusalGraph(facts, conflicts, inChains, shortNouns),
  };
}

/**
 * Part of step 3: describes facts as chains of requirements from the roots inwards, followed by the
 * conflicts in which the chains meet.
 */
function descriptionOf(graph: CoreGraph, nouns: NounPhrases) {
  const chains = new Chains(graph, nouns);
  const sentences = chains.lines();
  const conflicts = conflictPoints(graph, chains.facts, nouns);
  const last = conflicts.map(({ text }, i) => `${i === 0 ? 'But' : 'And'} ${text}.`);
  return { lines: [...sentences, ...last], conflicts, inChains: chains.facts };
}
