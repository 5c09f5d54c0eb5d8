import { expect, test } from 'vitest';
import { acceptanceProblems } from '../../src/project/manifests/acceptance.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { render } from '../../src/project/manifests/render.js';
import { digestOf, locked, lockfileOf, needs } from '../support/lockfiles.js';

test.each([
  {
    reference: `xpkg.io/a/p@${digestOf('p')}`,
    rules: ['dependency-version'],
    why: 'a digest is no version',
  },
  { reference: 'xpkg.io/a/p:v1.2.0', rules: [], why: 'a tag is' },
])('a parent with a range, $reference: $why', ({ reference, rules }) => {
  const lockfile = lockfileOf([
    locked('xpkg.io/a/cfg:v1.0.0', {
      kind: 'Configuration',
      direct: true,
      requirements: [needs('xpkg.io/a/p >=v1.0.0')],
    }),
    locked(reference),
  ]);
  const { bundle, lock } = render(lockfile);
  const target = targetFor(lockfile.crossplane)!;
  const problems = acceptanceProblems({ lockfile, target, objects: bundle.objects, lock });
  expect(problems.map(({ rule }) => rule)).toEqual(rules);
});
