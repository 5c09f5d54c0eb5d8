import type { Encoder } from '../solver/encoder/encoder.js';
import type { Fact } from '../solver/fact.js';
import type { Variable } from '../solver/incompatibility.js';
import { mergeAlike } from './merge-alike.js';
import { waysFromRoots } from './ways-from-roots.js';

/**
 * Step 2 of an explanation: facts in the order in which one would tell them. What the user asks
 * for, then what follows from it step by step, then what stands in the way.
 */
export function inTellingOrder(facts: readonly Fact[], encoder: Encoder): Fact[] {
  const merged = mergeAlike(facts, encoder);
  const ways = waysFromRoots(merged);
  const distance = (variable: Variable) => ways.get(variable)?.length ?? Infinity;
  const rank = (fact: Fact): readonly number[] => {
    switch (fact.fact) {
      case 'root':
      case 'root-api':
        return [0, encoder.rootIndex(fact.root)];
      case 'requires':
      case 'requires-api':
        return [1, distance(fact.by.variable)];
      case 'provides':
        return [1, distance(fact.api.variable)];
      case 'crossplane':
        return 'values' in fact.by ? [2, 0] : [0, encoder.rootIndex(fact.by)];
      case 'kind':
      case 'missing':
      case 'rejected':
      case 'excluded':
      case 'ruled-out':
      case 'owns':
      case 'cycle':
      case 'no-others':
        return [3, 0];
    }
  };
  const ranked = merged.map((fact, i) => ({ fact, key: [...rank(fact), i] }));
  ranked.sort((a, b) => compareLists(a.key, b.key));
  return ranked.map(({ fact }) => fact);
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1;
}
