import { expect, test } from 'vitest';
import {
  parseReference,
  referenceRules,
  repositoryProblem,
} from '../../src/crossplane/packages/reference.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { render } from '../../src/project/manifests/render.js';
import { locked, lockfileOf } from '../support/lockfiles.js';

const old = targetFor('v1.20.0')!;

test('packages are pulled from it', () => {
  expect(parseReference('acme/cfg:v1.0.0', referenceRules(old))?.registry).toBe(
    'xpkg.crossplane.io',
  );
});

test('no file contains it', () => {
  const { files } = render(lockfileOf([locked('acme/cfg:v1.0.0')], { crossplane: 'v1.20.0' }));
  expect(files.get('lock.yaml')).toContain('source: acme/cfg\n');
  expect(files.get('packages.yaml')).toContain('name: acme-cfg\n');
  expect(files.get('packages.yaml')).toContain('package: acme/cfg:v1.0.0\n');
  for (const text of files.values()) expect(text).not.toContain('xpkg.crossplane.io');
});

test('v2 has no default registry, and rejects repositories without one', () => {
  const repository = 'acme/cfg';
  expect(repositoryProblem(repository, old)).toBeUndefined();
  expect(repositoryProblem(repository, targetFor('v2.0.0')!)).toBeDefined();
});
