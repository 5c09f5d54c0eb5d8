import { expect, test } from 'vitest';
import { rangeText } from '../../../src/resolver/explain/fact-clause.js';
import { VersionSet } from '../../../src/resolver/solver/version-set.js';
import { story } from '../../support/story/story.js';

const tags = ['1.0.0', '1.1.0', '1.2.0', '2.0.0', '2.1.0', '3.0.0', '4.0.0', '5.0.0'];
const universe = Object.fromEntries(tags.map((tag) => [`a ${tag}`, '']));
const { versions } = story(universe, ['a *', 'missing *']).proof!.subjects.package('a');

test.each([
  { of: tags, text: 'every version' },
  { of: [], text: 'no version' },
  { of: ['1.1.0'], text: '1.1.0' },
  { of: ['1.0.0', '1.1.0', '1.2.0'], text: '1.0.0 to 1.2.0' },
  { of: ['1.0.0', '2.0.0'], text: '1.0.0 or 2.0.0' },
  { of: ['1.0.0', '1.2.0', '2.0.0', '4.0.0'], text: '1.0.0, 1.2.0 to 2.0.0 or 4.0.0' },
  { of: ['1.0.0', '1.2.0', '2.1.0', '4.0.0'], text: '4 versions from 1.0.0 to 4.0.0' },
])('$text', ({ of, text }) => {
  const values = versions.all().filter((value) => of.includes(versions.label(value)));
  expect(rangeText(versions, VersionSet.of(values))).toBe(text);
});
