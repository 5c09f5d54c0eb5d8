import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

/** Packages whose versions own one CRD each. There is one CRD fewer than packages. */
function crowd(packages: number) {
  const names = Array.from({ length: packages }, (_, i) => `p${i}`);
  const universe: Record<string, string> = {};
  for (const name of names) {
    for (let i = 1; i < packages; i++) universe[`${name} ${i}.0.0`] = `owns crd${i}`;
  }
  return { universe, roots: names.map((name) => `${name} *`) };
}

test('a search with too many conflicts gives up without a proof', () => {
  const { universe, roots } = crowd(4);
  expect(story(universe, roots).status).toBe('unsolvable');
  expect(story(universe, roots, { maxConflicts: 3 }).status).toBe('gave-up');
});

test('a long search asks from time to time whether to continue', () => {
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
