import { expect, test } from 'vitest';
import { minimalProof } from '../../../src/resolver/explain/minimal-proof.js';
import { removableKeys } from '../../../src/resolver/solver/search-result.js';
import { refusalStory } from '../../support/story/refusal-story.js';
import { answered, replyTo, story } from '../../support/story/story.js';

/** The missing dependency of a 1.0.0 does not matter: no version of a can be installed with b. */
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
const core = [...removableKeys(smaller)].sort();

test('drops facts that the proof does not need', () => {
  const before = [...removableKeys(proof!)].sort();
  expect(before.filter((key) => !core.includes(key))).toEqual(['requires a c ^2.0.0']);
  expect(core).toEqual(['owns a b', 'requires b c ^2.0.0', 'root 0', 'root 1']);
});

test('the remaining facts alone have no solution', () => {
  expect(story(universe, roots, { only: new Set(core) }).status).toBe('unsolvable');
});

test.each(core)('there is a solution without the fact: %s', (left) => {
  const only = new Set(core.filter((key) => key !== left));
  expect(story(universe, roots, { only }).status).toBe('solved');
});

test('leaves out facts that are unrelated to the conflict', () => {
  const more = { ...universe, 'other 1.0.0': 'another *', 'another 1.0.0': '' };
  const { explanation } = refusalStory(more, ['other *', 'a *', 'b *']);
  expect(explanation).not.toContain('other');
});
