import { unionOf } from './proof-facts.js';
import { linkOf, presentationOf } from './fact-kinds.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import type { Encoder } from '../solver/encoder.js';
import type { Fact, FactOf, Variable } from '../solver/incompatibility.js';
import type { RootRequirement } from '../solver/problem.js';

/**
 * Step 2 of an explanation: merges similar facts and returns them in the order of presentation. The
 * requirements of the user come first, then what follows from them step by step, then the facts that
 * exclude versions.
 */
export function inPresentationOrder(facts: readonly Fact[], encoder: Encoder): Fact[] {
  const merged = mergeSimilar(facts, encoder);
  const paths = pathsFromRoots(merged);
  const positions = {
    distance: (variable: Variable) => paths.get(variable)?.length ?? Infinity,
    rootIndex: (root: RootRequirement) => encoder.rootIndex(root),
  };
  const ranked = merged.map((fact, i) => {
    const order = presentationOf(fact).order?.(fact, positions) ?? [Infinity];
    return { fact, key: [...order, i] };
  });
  ranked.sort((a, b) => compareRanks(a.key, b.key));
  return ranked.map(({ fact }) => fact);
}

/** Compares two lists of the same length by the first number that differs. */
function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

/**
 * Part of step 2: merges facts that differ only in their versions. The solver extends a fact while
 * it reads versions, so a proof may contain several stages of one fact.
 */
export function mergeSimilar(facts: readonly Fact[], encoder: Encoder): Fact[] {
  return mergePairs(mergeStatements(facts), encoder);
}

function mergeStatements(facts: readonly Fact[]): Fact[] {
  const merged = new Map<string, Fact>();
  for (const [i, fact] of facts.entries()) {
    const presentation = presentationOf(fact);
    const shared = presentation.mergeKey?.(fact);
    const key = shared === undefined ? `alone ${i}` : `${fact.fact} ${shared}`;
    const before = merged.get(key);
    merged.set(key, before === undefined ? fact : presentation.merged!(before, fact));
  }
  return [...merged.values()];
}

/** Merges pairs of owners that have one side in common. */
function mergePairs(facts: readonly Fact[], encoder: Encoder): Fact[] {
  const merged: Fact[] = [];
  for (const fact of facts) {
    if (fact.fact !== 'owns') {
      merged.push(fact);
      continue;
    }
    const pair = sortedByName(fact, encoder);
    const similar = merged.findIndex((other) => other.fact === 'owns' && joinPairs(other, pair));
    if (similar < 0) merged.push(pair);
    else merged[similar] = joinPairs(merged[similar] as FactOf<'owns'>, pair)!;
  }
  return merged;
}

/** Orders the two sides by name: the order in which they were read does not matter. */
function sortedByName(pair: FactOf<'owns'>, encoder: Encoder): FactOf<'owns'> {
  const { one, other } = pair;
  const [a, b] = [one, other].map(({ variable }) => encoder.nameOf(variable));
  return byCodePoint(a!, b!) <= 0 ? pair : { fact: 'owns', one: other, other: one };
}

/** Merges two pairs; undefined if both sides differ. */
function joinPairs(a: FactOf<'owns'>, b: FactOf<'owns'>): FactOf<'owns'> | undefined {
  if (a.one.variable !== b.one.variable || a.other.variable !== b.other.variable) return undefined;
  if (a.one.values.equals(b.one.values)) return { ...a, other: unionOf(a.other, b.other) };
  if (a.other.values.equals(b.other.values)) return { ...a, one: unionOf(a.one, b.one) };
  return undefined;
}

/** Returns the facts on a path from a root to each package or API, starting at the root. */
export function pathsFromRoots(facts: readonly Fact[]): Map<Variable, readonly Fact[]> {
  const paths = new Map<Variable, readonly Fact[]>();
  const edges = facts.flatMap((fact) => {
    const { from, to } = linkOf(fact) ?? {};
    if (from === undefined || to === undefined) return [];
    if ('values' in from) return [{ fact, from: from.variable, to: to.variable }];
    getOrCreate(paths, to.variable, () => [fact]);
    return [];
  });
  for (let grown = true; grown;) {
    grown = false;
    for (const { fact, from, to } of edges) {
      const before = paths.get(from);
      if (before === undefined || paths.has(to)) continue;
      paths.set(to, [...before, fact]);
      grown = true;
    }
  }
  return paths;
}
