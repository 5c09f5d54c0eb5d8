import { expect, test } from 'vitest';
import { lockManifest } from '../../src/project/lockfile/lock-graph.js';
import type { Digest } from '../../src/base/digest.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { locked, lockfileOf } from '../support/lockfiles.js';

test('a row is named by the object and the digest of the index', () => {
  const digest = `sha256:c88b938d6e7b2e${'0'.repeat(50)}` as Digest;
  const child = `sha256:${'a'.repeat(64)}` as Digest;
  const lockfile = lockfileOf([
    locked('ghcr.io/other/path:v1.0.0', {
      name: 'upbound-provider-aws-s3',
      digest,
      manifest: child,
      baseLayer: child,
      packageYaml: child,
    }),
  ]);
  const lock = lockManifest(lockfile, targetFor('v2.3.4')!, (each) => each.version);
  expect(lock['packages']).toMatchObject([{ name: 'upbound-provider-aws-s3-c88b938d6e7b' }]);
});
