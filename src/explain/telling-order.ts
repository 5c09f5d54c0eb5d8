import { byCodePoint } from '../text/code-point-order.js';
import type { Fact, Some } from '../solver/fact.js';
import { subjectName } from '../solver/fact-key.js';
import type { Variable } from '../solver/incompatibility.js';
import type { Encoder } from '../solver/encoder/encoder.js';

/**
 * Facts in the order in which one would tell them: what the user asks for, then what follows from
 * it step by step, then what stands in the way. Rivalries of the same two packages become one.
 */
export function inTellingOrder(facts: readonly Fact[], encoder: Encoder): Fact[] {
  const merged = mergeRivalries(mergeStatements(facts), encoder);
  const depths = depthsOf(merged);
  const rank = (fact: Fact): readonly number[] => {
    switch (fact.fact) {
      case 'root':
      case 'root-api':
        return [0, encoder.rootIndex(fact.root)];
      case 'requires':
      case 'requires-api':
        return [1, depths.get(fact.by.variable) ?? Infinity];
      case 'provides':
        return [1, depths.get(fact.api.variable) ?? Infinity];
      case 'crossplane':
        return 'values' in fact.by ? [2, 0] : [0, encoder.rootIndex(fact.by)];
      case 'kind':
      case 'missing':
      case 'rejected':
      case 'excluded':
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

/** How many requirements lie between the user and each package. */
function depthsOf(facts: readonly Fact[]): Map<Variable, number> {
  const depths = new Map<Variable, number>();
  for (const fact of facts) {
    if (fact.fact === 'root') depths.set(fact.on.variable, 0);
    if (fact.fact === 'root-api') depths.set(fact.on, 0);
  }
  for (let grown = true; grown;) {
    grown = false;
    for (const fact of facts) {
      const edge = edgeOf(fact);
      const from = edge && depths.get(edge.from);
      if (edge === undefined || from === undefined || depths.has(edge.to)) continue;
      depths.set(edge.to, from + 1);
      grown = true;
    }
  }
  return depths;
}

/** From a package to one that it makes necessary. */
export function edgeOf(fact: Fact): { from: Variable; to: Variable } | undefined {
  if (fact.fact === 'requires') return { from: fact.by.variable, to: fact.on.variable };
  if (fact.fact === 'requires-api') return { from: fact.by.variable, to: fact.on };
  if (fact.fact === 'provides') return { from: fact.api.variable, to: fact.by.variable };
  return undefined;
}

/** The same words about different versions, found at different times: about all of them. */
function mergeStatements(facts: readonly Fact[]): Fact[] {
  const told = new Map<string, Fact>();
  for (const [i, fact] of facts.entries()) {
    const key = statementOf(fact) ?? `alone ${i}`;
    const before = told.get(key);
    told.set(key, before === undefined ? fact : widened(before, fact));
  }
  return [...told.values()];
}

function statementOf(fact: Fact): string | undefined {
  if (fact.fact === 'requires') {
    return `requires ${fact.by.variable} ${fact.on.variable} ${fact.constraint}`;
  }
  if (fact.fact !== 'crossplane' || !('values' in fact.by)) return undefined;
  return `crossplane ${fact.by.variable} ${fact.constraint}`;
}

function widened(fact: Fact, more: Fact): Fact {
  if (fact.fact === 'requires' && more.fact === 'requires') {
    return { ...fact, by: union(fact.by, more.by) };
  }
  if (fact.fact !== 'crossplane' || more.fact !== 'crossplane') return fact;
  if (!('values' in fact.by) || !('values' in more.by)) return fact;
  return { ...fact, by: union(fact.by, more.by) };
}

type Rivalry = Extract<Fact, { fact: 'owns' }>;

/** Of the same packages, with one side the same: the other sides together. */
function mergeRivalries(facts: readonly Fact[], encoder: Encoder): Fact[] {
  const told: Fact[] = [];
  for (const fact of facts) {
    if (fact.fact !== 'owns') {
      told.push(fact);
      continue;
    }
    const rivalry = oriented(fact, encoder);
    const like = told.findIndex((other) => other.fact === 'owns' && joined(other, rivalry));
    if (like < 0) told.push(rivalry);
    else told[like] = joined(told[like] as Rivalry, rivalry)!;
  }
  return told;
}

/** The same way round however it was found. */
function oriented(rivalry: Rivalry, encoder: Encoder): Rivalry {
  const { one, other } = rivalry;
  const [a, b] = [one, other].map(({ variable }) =>
    subjectName(encoder.subject(variable), encoder),
  );
  return byCodePoint(a!, b!) <= 0 ? rivalry : { fact: 'owns', one: other, other: one };
}

function joined(a: Rivalry, b: Rivalry): Rivalry | undefined {
  if (a.one.variable !== b.one.variable || a.other.variable !== b.other.variable) return undefined;
  if (a.one.values.equals(b.one.values)) return { ...a, other: union(a.other, b.other) };
  if (a.other.values.equals(b.other.values)) return { ...a, one: union(a.one, b.one) };
  return undefined;
}

function union(a: Some, b: Some): Some {
  return { variable: a.variable, values: a.values.or(b.values) };
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1;
}
