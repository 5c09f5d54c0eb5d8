import { beforeEach, expect, test } from 'vitest';
import type { Incompatibility, Variable } from '../../src/solver/incompatibility.js';
import { Search } from '../../src/solver/search.js';
import { VersionSet } from '../../src/solver/version-set.js';
import { story } from '../support/story/story.js';

let search: Search;
let a: Variable, b: Variable, c: Variable;

beforeEach(() => {
  search = new Search();
  [a, b, c] = [search.addVariable(), search.addVariable(), search.addVariable()];
});

/** What must not hold at once: variables, each with its values. */
function forbid(...terms: readonly (readonly [Variable, ...number[]])[]): Incompatibility {
  const fact: Incompatibility = {
    terms: terms.map(([variable, ...values]) => ({ variable, values: VersionSet.of(values) })),
    cause: { fact: 'no-others', variable: a },
  };
  search.add(fact);
  return fact;
}

/** The values below 10 that a variable may still take. */
function allowed(variable: Variable): number[] {
  return [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].filter((value) => search.allowed(variable).has(value));
}

test('an incompatibility of one term takes these values from its variable', () => {
  forbid([a, 1, 2]);
  expect(search.propagate()).toBeUndefined();
  expect(allowed(a)).toEqual([0, 3, 4, 5, 6, 7, 8, 9]);
});

test('when all terms but one hold, the last must not', () => {
  forbid([a, 1], [b, 2], [c, 3]);
  search.decide(a, 1);
  search.propagate();
  expect([allowed(b), allowed(c)].map(({ length }) => length)).toEqual([10, 10]);
  search.decide(b, 2);
  search.propagate();
  expect(allowed(c)).not.toContain(3);
});

test('a term holds when nothing outside of it is allowed, though several values are left', () => {
  forbid([a, 0, 1, 2, 3], [b, 5]);
  search.add({
    terms: [{ variable: a, values: VersionSet.of([1, 2]).complement() }],
    cause: { fact: 'no-others', variable: a },
  });
  search.propagate();
  expect(allowed(a)).toEqual([1, 2]);
  expect(allowed(b)).not.toContain(5);
});

test('when all terms hold there is a conflict', () => {
  const both = forbid([a, 1], [b, 2]);
  search.decide(a, 1);
  search.decide(b, 2);
  expect(search.propagate()).toBe(both);
});

test('a fact that arrives after a decision holds again when the decision is taken back', () => {
  search.decide(a, 1);
  search.propagate();
  forbid([b, 2]);
  search.propagate();
  search.backjump(0);
  expect(allowed(b)).toContain(2);
  search.propagate();
  expect(allowed(b)).not.toContain(2);
});

test('one decision may decide a whole chain', () => {
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

test('what is learned holds after the decisions that taught it are taken back', () => {
  forbid([a, 1], [b, 1], [c, 1]);
  search.add({
    terms: [
      { variable: a, values: VersionSet.of([1]) },
      { variable: b, values: VersionSet.of([1]) },
      { variable: c, values: VersionSet.of([1]).complement() },
    ],
    cause: { fact: 'no-others', variable: a },
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

test('an incompatibility that a wider one has replaced is passed over', () => {
  const narrow = forbid([a, 1], [b, 2]);
  narrow.superseded = true;
  search.propagate();
  search.decide(a, 1);
  search.propagate();
  expect(allowed(b)).toContain(2);
});
