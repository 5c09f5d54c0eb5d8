import { expect, test } from 'vitest';
import { assignNames } from '../../src/bundle/object-name.js';

test('two registries, one name: the second gets another, and it is said', () => {
  const repositories = ['xpkg.upbound.io/u/p', 'ghcr.io/u/p'];
  const { names, warnings } = assignNames(repositories.map((repository) => ({ repository })));
  expect([...names.values()]).toEqual(['u-p', 'u-p-bbb07268']);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('ghcr.io/u/p');
});
