import { expect, test } from 'vitest';
import { acceptanceProblems } from '../../src/project/manifests/acceptance.js';
import { spellingWarnings } from '../../src/project/manifests/object-names.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { render } from '../../src/project/manifests/render.js';
import { locked, lockfileOf, needs } from '../support/lockfiles.js';

const target = targetFor('v2.3.4')!;

test('two spellings are two packages, with a warning', () => {
  const spellings = ['docker.io/x/p', 'index.docker.io/x/p'];
  const warnings = spellingWarnings([...spellings, 'ghcr.io/x/p'], target);
  expect(warnings).toHaveLength(1);
  for (const spelling of spellings) expect(warnings[0]).toContain(`\`${spelling}\``);
});

test('a requirement with another spelling is not satisfied', () => {
  const lockfile = lockfileOf([
    locked('xpkg.io/a/a:v1.0.0', { direct: true, requirements: [needs('docker.io/x/p *')] }),
    locked('index.docker.io/x/p:v1.0.0'),
  ]);
  const { bundle, lock } = render(lockfile);
  const problems = acceptanceProblems({ lockfile, target, objects: bundle.objects, lock });
  expect(problems.map(({ rule }) => rule)).toEqual(['dependency-missing']);
  expect(problems[0]!.message).toContain('spelled');
});
