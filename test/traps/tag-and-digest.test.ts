import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitPackageReference } from '../../src/crossplane/packages/reference.js';
import { render } from '../../src/project/manifests/render.js';
import { digestOf, locked, lockfileOf } from '../support/lockfiles.js';

const digest = digestOf('b');

test('the tag of `repo:tag@digest` stays in the source', () => {
  expect(splitPackageReference(`xpkg.io/a/b:v1.0.0@${digest}`)).toEqual({
    source: 'xpkg.io/a/b:v1.0.0',
    version: digest,
  });
});

test('references with tag and digest are never rendered', () => {
  const reference = fc.constantFrom('xpkg.io/a/b:v1.0.0', `xpkg.io/a/b@${digest}`);
  fc.assert(
    fc.property(reference, fc.constantFrom('tag', 'digest'), (reference, pin) => {
      const { files } = render(lockfileOf([locked(reference)]), { pin });
      for (const text of files.values()) expect(text).not.toMatch(/:[^\s/@]+@sha256:/);
    }),
  );
});
