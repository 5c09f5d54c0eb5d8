import { formatOrigin } from '../model/input-error.js';
import type { Origin } from '../model/package.js';
import { isDigest } from '../text/digest.js';
import { leaves } from './minimal-proof.js';
import { explain } from './sentences/proof-text.js';
import type { Fact, Some } from '../solver/fact.js';
import type { Variable } from '../solver/incompatibility.js';
import { edgeOf, inTellingOrder } from './telling-order.js';
import type { Problem } from '../solver/problem.js';
import { Sentences } from './sentences/fact-clause.js';
import type { Proof } from '../solver/search-result.js';
import { namedFacts, type NamedFact } from './named-fact.js';
import { selectorText } from '../model/selector.js';

/** Why there is no answer, for people and for programs. */
export interface Refusal {
  /** Sentences, a blank line between them; a reason a line. */
  readonly explanation: string;
  readonly core: readonly CoreEntry[];
  /** What `core` says, for programs. */
  readonly facts: readonly NamedFact[];
  readonly suggestions: readonly Suggestion[];
}

export type CoreKind =
  'requirement' | 'crossplane' | 'ownership' | 'missing' | 'cycle' | 'kind' | 'digest' | 'source';

/** One of the facts that together rule every answer out. */
export interface CoreEntry {
  readonly kind: CoreKind;
  readonly text: string;
  /** Where the user wrote it, or what leads there: `xpkg.yaml:7`, a package, the next. */
  readonly path: readonly string[];
  /** Of a requirement: who asks for which versions of which package. */
  readonly requirement?: { readonly by: string; readonly on: string; readonly constraint: string };
}

/** A change that makes the set solvable: it was made, and solved. */
export interface Suggestion {
  readonly text: string;
}

/** A proof in words, and what it rests on. */
export function refusalOf(problem: Problem, proof: Proof): Omit<Refusal, 'suggestions'> {
  const sentences = new Sentences(problem, proof.encoder);
  const facts = inTellingOrder(leaves(proof.because), proof.encoder);
  const paths = pathsTo(facts);
  const entries = facts.flatMap((fact): CoreEntry[] => {
    const text = sentences.fact(fact);
    if (text === undefined) return [];
    const requirement = requirementOf(fact, sentences);
    const path = pathOf(fact, paths, sentences);
    return [
      {
        kind: coreKind(fact, proof),
        text,
        path,
        ...(requirement !== undefined && { requirement }),
      },
    ];
  });
  const core = entries.filter(
    (entry, i) => entries.findIndex((other) => other.text === entry.text) === i,
  );
  const explanation = explain(proof.because, sentences, proof.encoder);
  return { explanation, core, facts: namedFacts(proof) };
}

function requirementOf(fact: Fact, sentences: Sentences): CoreEntry['requirement'] | undefined {
  if (fact.fact !== 'root' && fact.fact !== 'requires') return undefined;
  const constraint = fact.fact === 'root' ? selectorText(fact.root.selector) : fact.constraint;
  const by =
    fact.fact === 'root' ? formatOrigin(fact.root.origin) : sentences.package(fact.by).repository;
  return { by, on: sentences.package(fact.on).repository, constraint };
}

function coreKind(fact: Fact, { encoder }: Proof): CoreKind {
  switch (fact.fact) {
    case 'root':
      if (fact.on.values.isEmpty) return 'missing';
      return isDigest(selectorText(fact.root.selector)) ? 'digest' : 'requirement';
    case 'requires':
      if (fact.on.values.isEmpty) return 'missing';
      return isDigest(fact.constraint) ? 'digest' : 'requirement';
    case 'root-api':
    case 'requires-api':
    case 'provides':
      return 'requirement';
    case 'crossplane':
      return 'crossplane';
    case 'owns':
      return 'ownership';
    case 'kind':
      return 'kind';
    case 'missing':
      return 'missing';
    case 'no-others':
      return encoder.subject(fact.variable).about === 'crossplane' ? 'crossplane' : 'missing';
    case 'rejected':
      return 'source';
    case 'excluded':
      return 'requirement';
    case 'cycle':
      return 'cycle';
  }
}

/** How the user's wishes lead to each package: the facts on the way, the first a root's. */
type Paths = ReadonlyMap<Variable, readonly Fact[]>;

function pathsTo(facts: readonly Fact[]): Paths {
  const paths = new Map<Variable, readonly Fact[]>();
  for (const fact of facts) {
    if (fact.fact === 'root' && !paths.has(fact.on.variable)) paths.set(fact.on.variable, [fact]);
    if (fact.fact === 'root-api') paths.set(fact.on, [fact]);
  }
  for (let grown = true; grown;) {
    grown = false;
    for (const fact of facts) {
      const edge = edgeOf(fact);
      if (edge === undefined || paths.has(edge.to)) continue;
      const before = paths.get(edge.from);
      if (before === undefined) continue;
      paths.set(edge.to, [...before, fact]);
      grown = true;
    }
  }
  return paths;
}

function pathOf(fact: Fact, paths: Paths, sentences: Sentences): string[] {
  const place = userPlace(fact);
  if (place !== undefined) return [formatOrigin(place)];
  const about = speaker(fact);
  const steps = (about && paths.get(about.variable)) ?? [];
  const path = steps.flatMap((step) => {
    const start = userPlace(step);
    if (start !== undefined) return [formatOrigin(start)];
    return step.fact === 'requires' ? [sentences.some(step.by)] : [];
  });
  if (about !== undefined) {
    const line =
      fact.fact === 'requires' && fact.line !== undefined ? `, package.yaml:${fact.line}` : '';
    path.push(`${sentences.some(about)}${line}`);
  }
  return path;
}

function userPlace(fact: Fact): Origin | undefined {
  if (fact.fact === 'root' || fact.fact === 'root-api') return fact.root.origin;
  if (fact.fact === 'excluded') return fact.rule.origin;
  if (fact.fact === 'crossplane' && !('values' in fact.by)) return fact.by.origin;
  if (fact.fact === 'kind' && !('values' in fact.by)) return fact.by.origin;
  return undefined;
}

/** The package whose word it is. */
function speaker(fact: Fact): Some | undefined {
  switch (fact.fact) {
    case 'requires':
    case 'requires-api':
      return fact.by;
    case 'crossplane':
    case 'kind':
      return 'values' in fact.by ? fact.by : undefined;
    case 'owns':
      return fact.one;
    case 'missing':
    case 'rejected':
      return fact.of;
    case 'provides':
      return fact.by;
    case 'cycle':
      return fact.members[0];
    case 'root':
    case 'root-api':
    case 'no-others':
    case 'excluded':
      return undefined;
  }
}
