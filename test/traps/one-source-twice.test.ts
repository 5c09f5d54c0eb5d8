import { describe, expect, test } from 'vitest';
import { assignNames } from '../../src/project/manifests/object-names.js';
import { formatLockfile } from '../../src/project/lockfile/format-lockfile.js';
import { parseLockfile } from '../../src/project/lockfile/parse-lockfile.js';
import { InputError } from '../../src/base/errors.js';
import { render } from '../../src/project/manifests/render.js';
import { locked, lockfileOf } from '../support/lockfiles.js';

describe('two objects with one source block the package manager', () => {
  const repository = 'xpkg.io/a/p';

  test('names for two objects of one source are rejected', () => {
    const roots = [
      { repository, given: 'p1', origin: { file: 'one.yaml', line: 3 } },
      { repository, given: 'p2', origin: { file: 'two.yaml', line: 7 } },
    ];
    expect(() => assignNames(roots)).toThrow(InputError);
    expect(() => assignNames(roots)).toThrow(/one\.yaml:3.*two\.yaml:7|two\.yaml:7.*one\.yaml:3/);
  });

  test('a lockfile with two objects of one source is rejected', () => {
    const both = [
      locked('xpkg.io/a/p:v1.0.0', { name: 'p1' }),
      locked('xpkg.io/a/p:v1.1.0', { name: 'p2' }),
    ];
    expect(() => parseLockfile(formatLockfile(lockfileOf(both)), 'xpkg.lock.yaml')).toThrow(
      InputError,
    );
  });

  test('no Lock is applied without --apply-lock', () => {
    const set = lockfileOf([locked('xpkg.io/a/p:v1.0.0')]);
    expect(render(set).files.get('kustomization.yaml')).not.toContain('lock.yaml');
    expect(render(set, { applyLock: true }).files.get('kustomization.yaml')).toContain('lock.yaml');
  });
});
