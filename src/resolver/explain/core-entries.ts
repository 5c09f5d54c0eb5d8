import type { CoreEntry } from './refusal.js';
import { claimantOf, factClause, originOf, presentationOf } from './fact-kinds.js';
import type { NounPhrases } from './noun-phrases.js';
import { pathsFromRoots } from './presentation-order.js';
import { formatOrigin } from '../../base/errors.js';
import { selectorText } from '../../crossplane/constraints/constraint.js';
import type { Fact, Variable } from '../solver/incompatibility.js';

/** Part of step 3: returns facts in their order, each with the path from a root to it. */
export function coreEntries(facts: readonly Fact[], nouns: NounPhrases): CoreEntry[] {
  const paths = pathsFromRoots(facts);
  const entries = new Map<string, CoreEntry>();
  for (const fact of facts) {
    const text = factClause(fact, nouns);
    if (text === undefined || entries.has(text)) continue;
    const requirement = requirementOf(fact, nouns);
    entries.set(text, {
      kind: presentationOf(fact).coreKind(fact, nouns.encoder),
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
