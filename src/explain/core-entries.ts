import { formatOrigin } from '../model/input-error.js';
import { selectorText } from '../model/selector.js';
import type { Encoder } from '../solver/encoder/encoder.js';
import type { Fact } from '../solver/fact.js';
import type { Proof } from '../solver/search-result.js';
import { isDigest } from '../text/digest.js';
import { factClause } from './sentences/fact-clause.js';
import { PathsFromRoots } from './fact-path.js';
import type { NounPhrases } from './sentences/noun-phrases.js';
import { proofFacts } from './proof-facts.js';
import { inTellingOrder } from './telling-order.js';

export type CoreKind =
  | 'requirement'
  | 'crossplane'
  | 'ownership'
  | 'missing'
  | 'cycle'
  | 'kind'
  | 'digest'
  | 'source'
  | 'policy';

/** One of the facts that together rule every answer out. */
export interface CoreEntry {
  readonly kind: CoreKind;
  readonly text: string;
  /** Where the user wrote it, or what leads there: `xpkg.yaml:7`, a package, the next. */
  readonly path: readonly string[];
  /** Of a requirement: who asks for which versions of which package. */
  readonly requirement?: { readonly by: string; readonly on: string; readonly constraint: string };
}

/** Part of step 3: the facts of a proof one by one, each with the way that leads to it. */
export function coreEntries(proof: Proof, nouns: NounPhrases): CoreEntry[] {
  const facts = inTellingOrder(proofFacts(proof), proof.encoder);
  const paths = new PathsFromRoots(facts, nouns);
  const entries = new Map<string, CoreEntry>();
  for (const fact of facts) {
    const text = factClause(fact, nouns);
    if (text === undefined || entries.has(text)) continue;
    const requirement = requirementOf(fact, nouns);
    entries.set(text, {
      kind: coreKind(fact, proof.encoder),
      text,
      path: paths.to(fact),
      ...(requirement !== undefined && { requirement }),
    });
  }
  return [...entries.values()];
}

function requirementOf(fact: Fact, nouns: NounPhrases): CoreEntry['requirement'] | undefined {
  if (fact.fact !== 'root' && fact.fact !== 'requires') return undefined;
  const constraint = fact.fact === 'root' ? selectorText(fact.root.selector) : fact.constraint;
  const by =
    fact.fact === 'root' ? formatOrigin(fact.root.origin) : nouns.package(fact.by).repository;
  return { by, on: nouns.package(fact.on).repository, constraint };
}

function coreKind(fact: Fact, encoder: Encoder): CoreKind {
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
    case 'ruled-out':
      return 'policy';
    case 'cycle':
      return 'cycle';
  }
}
