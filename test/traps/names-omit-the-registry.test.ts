import { expect, test } from 'vitest';
import { assignNames } from '../../src/project/manifests/object-names.js';

test('packages with one name in two registries: the second gets another name, with a note', () => {
  const repositories = ['xpkg.upbound.io/u/p', 'ghcr.io/u/p'];
  const { names, warnings } = assignNames(repositories.map((repository) => ({ repository })));
  expect([...names.values()]).toEqual(['u-p', 'u-p-bbb07268']);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('ghcr.io/u/p');
});
