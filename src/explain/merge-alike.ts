import { byCodePoint } from '../text/code-point-order.js';
import { joinedRuling, rulingKey } from '../model/policy/ruling.js';
import type { Encoder } from '../solver/encoder/encoder.js';
import type { Fact } from '../solver/fact.js';
import type { Term } from '../solver/incompatibility.js';
import { subjectName } from '../solver/fact-key.js';

type OwnershipPair = Extract<Fact, { fact: 'owns' }>;

/**
 * Part of step 2: facts that say one thing about different versions become one. A statement grows
 * as versions are read, so a proof may rest on it as it was at several times.
 */
export function mergeAlike(facts: readonly Fact[], encoder: Encoder): Fact[] {
  return mergePairs(mergeStatements(facts), encoder);
}

function mergeStatements(facts: readonly Fact[]): Fact[] {
  const told = new Map<string, Fact>();
  for (const [i, fact] of facts.entries()) {
    const key = statementOf(fact) ?? `alone ${i}`;
    const before = told.get(key);
    told.set(key, before === undefined ? fact : widened(before, fact));
  }
  return [...told.values()];
}

/** Equal for facts in the same words; undefined: not worth merging. */
function statementOf(fact: Fact): string | undefined {
  if (fact.fact === 'requires') {
    return `requires ${fact.by.variable} ${fact.on.variable} ${fact.constraint}`;
  }
  if (fact.fact === 'ruled-out') return `ruled out ${fact.of.variable} ${rulingKey(fact.ruling)}`;
  if (fact.fact !== 'crossplane' || !('values' in fact.by)) return undefined;
  return `crossplane ${fact.by.variable} ${fact.constraint}`;
}

function widened(fact: Fact, more: Fact): Fact {
  if (fact.fact === 'requires' && more.fact === 'requires') {
    return { ...fact, by: union(fact.by, more.by) };
  }
  if (fact.fact === 'ruled-out' && more.fact === 'ruled-out') {
    const ruling = joinedRuling(fact.ruling, more.ruling);
    return { ...fact, of: union(fact.of, more.of), ruling };
  }
  if (fact.fact !== 'crossplane' || more.fact !== 'crossplane') return fact;
  if (!('values' in fact.by) || !('values' in more.by)) return fact;
  return { ...fact, by: union(fact.by, more.by) };
}

/** Of two packages, pairs that share one side: the other sides together. */
function mergePairs(facts: readonly Fact[], encoder: Encoder): Fact[] {
  const told: Fact[] = [];
  for (const fact of facts) {
    if (fact.fact !== 'owns') {
      told.push(fact);
      continue;
    }
    const pair = oriented(fact, encoder);
    const like = told.findIndex((other) => other.fact === 'owns' && joined(other, pair));
    if (like < 0) told.push(pair);
    else told[like] = joined(told[like] as OwnershipPair, pair)!;
  }
  return told;
}

/** By name, since which side was read first does not matter. */
function oriented(pair: OwnershipPair, encoder: Encoder): OwnershipPair {
  const { one, other } = pair;
  const [a, b] = [one, other].map(({ variable }) =>
    subjectName(encoder.subject(variable), encoder),
  );
  return byCodePoint(a!, b!) <= 0 ? pair : { fact: 'owns', one: other, other: one };
}

/** undefined: they cannot be said as one. */
function joined(a: OwnershipPair, b: OwnershipPair): OwnershipPair | undefined {
  if (a.one.variable !== b.one.variable || a.other.variable !== b.other.variable) return undefined;
  if (a.one.values.equals(b.one.values)) return { ...a, other: union(a.other, b.other) };
  if (a.other.values.equals(b.other.values)) return { ...a, one: union(a.one, b.one) };
  return undefined;
}

function union(a: Term, b: Term): Term {
  return { variable: a.variable, values: a.values.or(b.values) };
}
