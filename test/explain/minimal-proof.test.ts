import { expect, test } from 'vitest';
import { minimalProof } from '../../src/explain/minimal-proof.js';
import { debatableKeys } from '../../src/explain/proof-facts.js';
import { refusalStory } from '../support/story/refusal-story.js';
import { answered, replyTo, story } from '../support/story/story.js';

/** That a 1.0.0 requires what there is not is of no importance: no version of a goes with b. */
const universe = {
  'a 1.0.0': 'c ^2.0.0; owns things',
  'a 2.0.0': 'owns things',
  'b 1.0.0': 'c ^2.0.0',
  'b 2.0.0': 'owns things',
  'c 1.0.0': '',
};
const roots = ['a *', 'b *'];
const { problem, proof } = story(universe, roots);
const smaller = answered(minimalProof(problem, proof!), (each) => replyTo(each, universe));
const core = [...debatableKeys(smaller)].sort();

test('facts that the rest can do without are dropped', () => {
  const before = [...debatableKeys(proof!)].sort();
  expect(before.filter((key) => !core.includes(key))).toEqual(['requires a c ^2.0.0']);
  expect(core).toEqual(['owns a b', 'requires b c ^2.0.0', 'root 0', 'root 1']);
});

test('the facts that are left have no answer by themselves', () => {
  expect(story(universe, roots, { only: new Set(core) }).status).toBe('unsolvable');
});

test.each(core)('without %s there is one', (left) => {
  const only = new Set(core.filter((key) => key !== left));
  expect(story(universe, roots, { only }).status).toBe('solved');
});

test('what has nothing to do with the conflict is not in the explanation', () => {
  const more = { ...universe, 'other 1.0.0': 'another *', 'another 1.0.0': '' };
  const { explanation } = refusalStory(more, ['other *', 'a *', 'b *']);
  expect(explanation).not.toContain('other');
});
