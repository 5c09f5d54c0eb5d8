import { formatOrigin } from '../model/input-error.js';
import type { Origin } from '../model/package.js';
import type { Fact } from '../solver/fact.js';
import type { Term, Variable } from '../solver/incompatibility.js';
import type { NounPhrases } from './sentences/noun-phrases.js';
import { waysFromRoots } from './ways-from-roots.js';

/** Part of step 3: how what the user asks for leads to each fact. */
export class PathsFromRoots {
  readonly #nouns: NounPhrases;
  /** By package: the facts on the way to it, the first a root's. */
  readonly #ways: ReadonlyMap<Variable, readonly Fact[]>;

  constructor(facts: readonly Fact[], nouns: NounPhrases) {
    this.#nouns = nouns;
    this.#ways = waysFromRoots(facts);
  }

  /** Where the user wrote it; or else where it begins, and the packages from there on. */
  to(fact: Fact): string[] {
    const place = userPlace(fact);
    if (place !== undefined) return [formatOrigin(place)];
    const about = speaker(fact);
    if (about === undefined) return [];
    const path = (this.#ways.get(about.variable) ?? []).flatMap((step) => {
      const start = userPlace(step);
      if (start !== undefined) return [formatOrigin(start)];
      return step.fact === 'requires' ? [this.#nouns.some(step.by)] : [];
    });
    const line =
      fact.fact === 'requires' && fact.line !== undefined ? `, package.yaml:${fact.line}` : '';
    return [...path, `${this.#nouns.some(about)}${line}`];
  }
}

function userPlace(fact: Fact): Origin | undefined {
  if (fact.fact === 'root' || fact.fact === 'root-api') return fact.root.origin;
  if (fact.fact === 'excluded') return fact.rule.origin;
  if (fact.fact === 'ruled-out') return fact.ruling.origin;
  if (fact.fact === 'crossplane' && !('values' in fact.by)) return fact.by.origin;
  if (fact.fact === 'kind' && !('values' in fact.by)) return fact.by.origin;
  return undefined;
}

/** The package whose word it is. */
function speaker(fact: Fact): Term | undefined {
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
    case 'ruled-out':
      return undefined;
  }
}
