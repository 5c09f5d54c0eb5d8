import { beforeEach, expect, test } from 'vitest';
import type { Incompatibility, Variable } from '../../../src/resolver/solver/incompatibility.js';
import { Search } from '../../../src/resolver/solver/search.js';
import { VersionSet } from '../../../src/resolver/solver/version-set.js';
import { story } from '../../support/story/story.js';

let search: Search;
let a: Variable, b: Variable, c: Variable;

beforeEach(() => {
  search = new Search();
  [a, b, c] = [search.addVariable(), search.addVariable(), search.addVariable()];
});

/** Adds an incompatibility; each term is a variable and its values. */
function forbid(...terms: readonly (readonly [Variable, ...number[]])[]): Incompatibility {
  const fact: Incompatibility = {
    terms: terms.map(([variable, ...values]) => ({ variable, values: VersionSet.of(values) })),
    cause: { fact: 'missing', of: { variable: a, values: VersionSet.none } },
  };
  search.add(fact);
  return fact;
}

/** Returns the values below 10 that a variable may still take. */
function allowed(variable: Variable): number[] {
  return [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].filter((value) => search.allowed(variable).has(value));
}

test('an incompatibility with one term removes its values from the variable', () => {
  forbid([a, 1, 2]);
  expect(search.propagate()).toBeUndefined();
  expect(allowed(a)).toEqual([0, 3, 4, 5, 6, 7, 8, 9]);
});

test('when all terms but one hold, the values of the last are removed', () => {
  forbid([a, 1], [b, 2], [c, 3]);
  search.decide(a, 1);
  search.propagate();
  expect([allowed(b), allowed(c)].map(({ length }) => length)).toEqual([10, 10]);
  search.decide(b, 2);
  search.propagate();
  expect(allowed(c)).not.toContain(3);
});

test('a term holds when only its values are allowed, even several of them', () => {
  forbid([a, 0, 1, 2, 3], [b, 5]);
  search.add({
    terms: [{ variable: a, values: VersionSet.of([1, 2]).complement() }],
    cause: { fact: 'missing', of: { variable: a, values: VersionSet.none } },
  });
  search.propagate();
  expect(allowed(a)).toEqual([1, 2]);
  expect(allowed(b)).not.toContain(5);
});

test('when all terms hold, there is a conflict', () => {
  const both = forbid([a, 1], [b, 2]);
  search.decide(a, 1);
  search.decide(b, 2);
  expect(search.propagate()).toBe(both);
});

test('a fact added after a decision is applied again when the decision is undone', () => {
  search.decide(a, 1);
  search.propagate();
  forbid([b, 2]);
  search.propagate();
  search.backjump(0);
  expect(allowed(b)).toContain(2);
  search.propagate();
  expect(allowed(b)).not.toContain(2);
});

test('one decision can imply a whole chain', () => {
  const universe = {
    'a 1.0.0': 'b ^1.0.0',
    'b 1.0.0': 'c ^1.0.0',
    'b 2.0.0': '',
    'c 1.0.0': '',
    'c 2.0.0': '',
  };
  expect(story(universe, ['a *']).steps).toEqual([
    'so a = 1.0.0, by {a ∉ 1.0.0}',
    'so b = 1.0.0, by {a = 1.0.0, b ∉ 1.0.0}',
    'so c = 1.0.0, by {b = 1.0.0, c ∉ 1.0.0}',
    'decide a = 1.0.0',
    'decide b = 1.0.0',
    'decide c = 1.0.0',
  ]);
});

test('a learned clause applies after its decisions have been undone', () => {
  forbid([a, 1], [b, 1], [c, 1]);
  search.add({
    terms: [
      { variable: a, values: VersionSet.of([1]) },
      { variable: b, values: VersionSet.of([1]) },
      { variable: c, values: VersionSet.of([1]).complement() },
    ],
    cause: { fact: 'missing', of: { variable: a, values: VersionSet.none } },
  });
  search.decide(a, 1);
  search.propagate();
  search.decide(b, 1);
  const learned = search.learn(search.propagate()!);
  expect(learned.terms.map(({ variable }) => variable)).toEqual([a, b]);
  search.backjump(0);
  search.propagate();
  search.decide(b, 1);
  search.propagate();
  expect(allowed(a)).not.toContain(1);
});

test('a superseded incompatibility is skipped', () => {
  const narrow = forbid([a, 1], [b, 2]);
  narrow.superseded = true;
  search.propagate();
  search.decide(a, 1);
  search.propagate();
  expect(allowed(b)).toContain(2);
});
