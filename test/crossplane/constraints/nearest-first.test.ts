import { expect, test } from 'vitest';
import { isBelow, nearestFirst } from '../../../src/crossplane/constraints/constraint.js';
import { parseVersion } from '../../../src/crossplane/constraints/version.js';

const PUBLISHED = ['v0.9.0', 'v1.0.0', 'v1.1.0', 'v1.2.0', 'v2.0.0', 'v2.1.0'].map((tag) =>
  parseVersion(tag, '3.4.0')!,
);

test.each([
  ['^v1.0.0', 'v1.2.0 v1.1.0 v1.0.0 v2.0.0 v2.1.0 v0.9.0'],
  ['v1.1.0', 'v1.1.0 v1.2.0 v2.0.0 v2.1.0 v1.0.0 v0.9.0'],
  ['v1.1.5', 'v1.2.0 v2.0.0 v2.1.0 v1.1.0 v1.0.0 v0.9.0'],
  ['>=v3.0.0', 'v2.1.0 v2.0.0 v1.2.0 v1.1.0 v1.0.0 v0.9.0'],
  ['<v0.1.0', 'v0.9.0 v1.0.0 v1.1.0 v1.2.0 v2.0.0 v2.1.0'],
  ['v1.0.0 || v2.0.0', 'v2.0.0 v1.2.0 v1.1.0 v1.0.0 v2.1.0 v0.9.0'],
  ['*', 'v2.1.0 v2.0.0 v1.2.0 v1.1.0 v1.0.0 v0.9.0'],
  ['main', 'v2.1.0 v2.0.0 v1.2.0 v1.1.0 v1.0.0 v0.9.0'],
])('alternatives to %s in order: %s', (asked, order) => {
  const nearest = nearestFirst(PUBLISHED, { text: asked, dialect: '3.4.0' });
  expect(nearest.map(({ raw }) => raw).join(' ')).toBe(order);
});

/** Published versions below a constraint. */
const below = (asked: string) =>
  PUBLISHED.filter((version) => isBelow(version, PUBLISHED, { text: asked, dialect: '3.4.0' }));

test('a version is below if all named and admitted versions are higher', () => {
  expect(below('^v1.1.0').map(({ raw }) => raw)).toEqual(['v0.9.0', 'v1.0.0']);
  expect(below('*')).toEqual([]);
});
