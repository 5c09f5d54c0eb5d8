import { InputError, formatOrigin } from '../../base/errors.js';
import { selectorText } from '../../crossplane/constraints/constraint.js';
import { shortNames } from '../../crossplane/packages/repository-names.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { Driver } from '../driver/driver.js';
import type { Fact, Variable } from '../solver/incompatibility.js';
import type { Problem } from '../solver/problem.js';
import { type Proof, proofFacts } from '../solver/search-result.js';
import { VersionSet } from '../solver/version-set.js';
import type { SuggestionContext } from '../suggest/proposal.js';
import { similarRootNotes } from '../suggest/root-corrections.js';
import { suggest } from '../suggest/suggest.js';
import { CoreGraph, conflictPoints } from './core-graph.js';
import { NounPhrases } from './fact-clause.js';
import {
  claimantOf,
  factClause,
  namedFacts,
  originOf,
  presentationOf,
  variablesIn,
} from './fact-kinds.js';
import { minimalProof } from './minimal-proof.js';
import { inPresentationOrder, pathsFromRoots, proofText } from './proof-text.js';
import { refusalGraph } from './refusal-graph.js';
import type { CoreEntry, Refusal } from './refusal.js';
import { Chains } from './requirement-chains.js';

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
  const smallerProof = minimalProof(problem, refused.proof);
  const proof = await driver.driveWithoutReading(smallerProof, targets[0]!);
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
  const { subjects } = proof;
  const facts = inPresentationOrder(proofFacts(proof), subjects);
  const mentionedSubjects = [...new Set(facts.flatMap(variablesIn))].map((each) =>
    subjects.subject(each),
  );
  const packages = mentionedSubjects.filter((each) => each.about === 'package');
  const { name, note } = shortNames(packages.map(({ repository }) => repository));
  const nouns = new NounPhrases(problem, subjects);
  const shortNouns = new NounPhrases(problem, subjects, name);
  const graph = new CoreGraph(facts, subjects);
  const { lines, conflicts, inChains } = descriptionOf(graph, shortNouns);
  const fullLines = descriptionOf(graph, nouns).lines;
  const isOneLine = fullLines.length === 1;
  return {
    summary: {
      headline: isOneLine
        ? fullLines[0]!.slice(0, -1)
        : `no set of versions satisfies everything on Crossplane ${nouns.releases(VersionSet.all)}`,
      lines: isOneLine ? [] : lines.concat(note ?? []),
      fullLines: isOneLine ? [] : fullLines,
    },
    explanation: proofText(proof.because, nouns),
    core: coreEntries(facts, nouns),
    facts: namedFacts(proof),
    graph: refusalGraph(facts, conflicts, inChains, shortNouns),
  };
}

/** Describes facts as chains of requirements, followed by the conflicts in which they meet. */
function descriptionOf(graph: CoreGraph, nouns: NounPhrases) {
  const chains = new Chains(graph, nouns);
  const sentences = chains.lines();
  const conflicts = conflictPoints(graph, chains.facts, nouns);
  const conflictSentences = conflicts.map(({ text }, i) => `${i === 0 ? 'But' : 'And'} ${text}.`);
  return { lines: [...sentences, ...conflictSentences], conflicts, inChains: chains.facts };
}

/** Part of step 3: returns facts in their order, each with the path from a root to it. */
function coreEntries(facts: readonly Fact[], nouns: NounPhrases): CoreEntry[] {
  const paths = pathsFromRoots(facts);
  const entries = new Map<string, CoreEntry>();
  for (const fact of facts) {
    const text = factClause(fact, nouns);
    if (text === undefined || entries.has(text)) continue;
    const requirement = requirementOf(fact, nouns);
    entries.set(text, {
      kind: presentationOf(fact).coreKind(fact, nouns.subjects),
      text,
      path: pathTo(fact, paths, nouns),
      ...(requirement !== undefined && { requirement }),
    });
  }
  return [...entries.values()];
}

function requirementOf(fact: Fact, nouns: NounPhrases): CoreEntry['requirement'] | undefined {
  if (fact.fact !== 'root' && fact.fact !== 'requires') return undefined;
  const on = nouns.package(fact.on).repository;
  if (fact.fact === 'requires') {
    return { by: nouns.package(fact.by).repository, on, constraint: fact.constraint };
  }
  const { origin, selector } = fact.root;
  return { by: formatOrigin(origin), on, constraint: selectorText(selector) };
}

/** Returns the input line of a fact of the user; for other facts, also the packages on the path. */
function pathTo(
  fact: Fact,
  paths: ReadonlyMap<Variable, readonly Fact[]>,
  nouns: NounPhrases,
): string[] {
  const place = originOf(fact);
  if (place !== undefined) return [formatOrigin(place)];
  const about = claimantOf(fact);
  if (about === undefined) return [];
  const path = (paths.get(about.variable) ?? []).flatMap((step) => {
    const start = originOf(step);
    if (start !== undefined) return [formatOrigin(start)];
    return step.fact === 'requires' ? [nouns.anyOf(step.by)] : [];
  });
  const line =
    fact.fact === 'requires' && fact.line !== undefined ? `, package.yaml:${fact.line}` : '';
  return [...path, `${nouns.anyOf(about)}${line}`];
}
