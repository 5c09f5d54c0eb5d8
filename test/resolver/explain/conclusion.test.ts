import { expect, test } from 'vitest';
import { conclusion } from '../../../src/resolver/explain/proof-text.js';
import { NounPhrases } from '../../../src/resolver/explain/fact-clause.js';
import { ABSENT, FIRST } from '../../../src/resolver/solver/incompatibility.js';
import { VersionSet } from '../../../src/resolver/solver/version-set.js';
import { story } from '../../support/story/story.js';

const { problem, proof } = story(
  { 'a 1.0.0': '', 'a 2.0.0': '', 'b 1.0.0': '', 'b 2.0.0': '' },
  ['a *', 'b *', 'missing *'],
  { releases: ['v2.0.0', 'v1.20.0'] },
);
const { subjects } = proof!;
const nouns = new NounPhrases(problem, subjects);
const a = (value: number) => {
  const { variable } = subjects.package('a');
  return { variable, values: VersionSet.single(value) };
};
const notB = (value: number) => {
  const { variable } = subjects.package('b');
  return { variable, values: VersionSet.single(value).complement() };
};
const otherThan = (value: number) => ({
  variable: subjects.crossplane,
  values: VersionSet.single(value).complement(),
});

test.each([
  { terms: [], text: 'there is no answer' },
  { terms: [a(FIRST)], text: 'a 1.0.0 cannot be used' },
  { terms: [notB(FIRST)], text: 'b 1.0.0 is needed' },
  { terms: [a(FIRST), notB(FIRST + 1)], text: 'a 1.0.0 requires b 2.0.0' },
  { terms: [otherThan(FIRST)], text: 'Crossplane must be v2.0.0' },
  { terms: [a(FIRST), otherThan(FIRST + 1)], text: 'a 1.0.0 needs Crossplane v1.20.0' },
  {
    terms: [a(FIRST), notB(FIRST), otherThan(FIRST)],
    text: 'a 1.0.0 requires b 1.0.0 or Crossplane v2.0.0',
  },
])('states the conclusion from terms that cannot all be true: $text', ({ terms, text }) => {
  expect(conclusion(terms, nouns)).toBe(text);
});

test('packages that are both present cannot be installed together', () => {
  const b = { variable: subjects.package('b').variable, values: VersionSet.single(FIRST) };
  expect(conclusion([a(FIRST), b], nouns)).toBe('a 1.0.0 and b 1.0.0 cannot be installed together');
  expect(b.values.has(ABSENT)).toBe(false);
});
