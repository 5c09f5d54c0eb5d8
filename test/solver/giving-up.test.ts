import { expect, test } from 'vitest';
import { story } from '../support/story/story.js';

/** So many packages, each version of which owns one of one CRD fewer: one package is too many. */
function crowd(packages: number) {
  const names = Array.from({ length: packages }, (_, i) => `p${i}`);
  const universe: Record<string, string> = {};
  for (const name of names) {
    for (let i = 1; i < packages; i++) universe[`${name} ${i}.0.0`] = `owns crd${i}`;
  }
  return { universe, roots: names.map((name) => `${name} *`) };
}

test('a search that meets too many conflicts gives up, which is not a no', () => {
  const { universe, roots } = crowd(4);
  expect(story(universe, roots).status).toBe('unsolvable');
  expect(story(universe, roots, { maxConflicts: 3 }).status).toBe('gave-up');
});

test('a long search asks now and then whether to go on', () => {
  const { universe, roots } = crowd(8);
  const { status, asked, effort } = story(universe, roots, { goOn: false });
  expect(status).toBe('gave-up');
  expect(asked.at(-1)).toBe('whether to go on');
  expect(effort.conflicts).toBe(256);
});

test('a short search does not ask', () => {
  const { universe, roots } = crowd(4);
  expect(story(universe, roots).asked).not.toContain('whether to go on');
});
