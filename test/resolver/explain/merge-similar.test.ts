import { expect, test } from 'vitest';
import { mergeSimilar } from '../../../src/resolver/explain/proof-text.js';
import { type Fact, FIRST, type Term } from '../../../src/resolver/solver/incompatibility.js';
import { VersionSet } from '../../../src/resolver/solver/version-set.js';
import { story } from '../../support/story/story.js';

const { subjects } = story({ 'a 1.0.0': '', 'b 1.0.0': '' }, ['a *', 'b *', 'missing *']).proof!;
const [a, b] = [subjects.package('a').variable, subjects.package('b').variable];
const of = (variable: number, ...values: number[]) => ({ variable, values: VersionSet.of(values) });

function requires(version: number, constraint: string): Fact {
  const [by, on] = [of(a, version), of(b, FIRST)];
  return { fact: 'requires', by, on, constraint, line: undefined };
}

function needsCrossplane(version: number): Fact {
  const by = of(a, version);
  return { fact: 'crossplane', by, on: of(subjects.crossplane), constraint: '>=v2.0.0' };
}

function text({ variable, values }: Term): string {
  const name = variable === a ? 'a' : 'b';
  return [name, ...[0, 1, 2].filter((i) => values.has(FIRST + i))].join(' ');
}

/** Returns the kind, the package and the indexes of the versions of each fact: `requires a 0 1`. */
function merged(facts: readonly Fact[]): string[] {
  return mergeSimilar(facts, subjects).map((fact) => {
    if (fact.fact === 'owns') return `owns ${text(fact.one)}, ${text(fact.other)}`;
    if (!('by' in fact) || !('values' in fact.by)) throw new Error('not in this test');
    return `${fact.fact} ${text(fact.by)}`;
  });
}

test('merges two stages of a fact that the solver extended', () => {
  const facts = [requires(FIRST, '^1.0.0'), requires(FIRST + 1, '^1.0.0')];
  expect(merged(facts)).toEqual(['requires a 0 1']);
});

test('keeps facts with different constraints apart', () => {
  const facts = [requires(FIRST, '^1.0.0'), requires(FIRST + 1, '^1.1.0')];
  expect(merged(facts)).toEqual(['requires a 0', 'requires a 1']);
});

test('merges Crossplane constraints', () => {
  expect(merged([needsCrossplane(FIRST), needsCrossplane(FIRST + 1)])).toEqual([
    'crossplane a 0 1',
  ]);
});

test('merges pairs of owners that have one side in common, in any order', () => {
  const facts: Fact[] = [
    { fact: 'owns', one: of(a, FIRST), other: of(b, FIRST) },
    { fact: 'owns', one: of(b, FIRST + 1), other: of(a, FIRST) },
    { fact: 'owns', one: of(a, FIRST + 1), other: of(b, FIRST + 2) },
  ];
  expect(merged(facts)).toEqual(['owns a 0, b 0 1', 'owns a 1, b 2']);
});
