import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/base/errors.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { render } from '../../../src/project/manifests/render.js';
import { digestOf, locked, lockfileOf, needs } from '../../support/lockfiles.js';

const set = lockfileOf([
  locked('x.io/a/cfg:v1.0.0', {
    kind: 'Configuration',
    direct: true,
    requirements: [needs('x.io/a/p >=v1.0.0')],
  }),
  locked('x.io/a/p:v1.2.0'),
]);
const hex = (reference: string) => digestOf(reference).slice(7, 19);

test('a Lock, the packages and a kustomization', () => {
  const { files } = render(set);
  const mark = '# Written by xpkg-resolve; changes are lost when it renders again.\n';
  expect(Object.fromEntries(files)).toEqual({
    'lock.yaml': `${mark}\
apiVersion: pkg.crossplane.io/v1beta1
kind: Lock
metadata:
  name: lock
packages:
  - name: a-p-${hex('x.io/a/p:v1.2.0')}
    apiVersion: pkg.crossplane.io/v1
    kind: Provider
    source: x.io/a/p
    version: v1.2.0
    dependencies: []
  - name: a-cfg-${hex('x.io/a/cfg:v1.0.0')}
    apiVersion: pkg.crossplane.io/v1
    kind: Configuration
    source: x.io/a/cfg
    version: v1.0.0
    dependencies:
      - package: x.io/a/p
        type: Provider
        constraints: ">=v1.0.0"
`,
    'packages.yaml': `${mark}\
---
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata:
  name: a-p
spec:
  package: x.io/a/p:v1.2.0
---
apiVersion: pkg.crossplane.io/v1
kind: Configuration
metadata:
  name: a-cfg
spec:
  package: x.io/a/cfg:v1.0.0
`,
    'kustomization.yaml': `${mark}\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - packages.yaml
sortOptions:
  order: fifo
`,
  });
});

describe('the Lock', () => {
  test('is applied only with `applyLock`, and before all other objects', () => {
    const { files, stream } = render(set, { applyLock: true });
    expect(files.get('kustomization.yaml')).toContain(
      'resources:\n  - lock.yaml\n  - packages.yaml\n',
    );
    expect(stream.indexOf('kind: Lock')).toBeGreaterThan(0);
    expect(render(set).stream).not.toContain('kind: Lock');
  });

  test('is applied with a warning about outdated rows', () => {
    expect(render(set, { applyLock: true }).warnings).toEqual([
      expect.stringContaining('already exists'),
    ]);
    expect(render(set).warnings).toEqual([]);
  });

  test('from v2.4 on, it cannot be applied, and its header states what its names are for', () => {
    const target = targetFor('v2.4.0')!;
    expect(() => render(set, { target, applyLock: true })).toThrow(
      'the Lock cannot be applied on Crossplane v2.4.0',
    );
    expect(render(set, { target }).files.get('lock.yaml')).toContain('compare rows by `source`');
    expect(render(set, { target: targetFor('v2.3.5')! }).files.get('lock.yaml')).not.toContain(
      'compare rows',
    );
  });

  test('is left out for a release that is not known, and cannot be applied', () => {
    const target = targetFor('v1.20.99')!;
    const { files, lock, leftOut } = render(set, { target });
    expect([...files.keys()]).not.toContain('lock.yaml');
    expect(lock).toBeUndefined();
    expect(leftOut).toEqual([expect.stringContaining('v1.20.99 is not a release this tool knows')]);
    expect(() => render(set, { target, applyLock: true })).toThrow('does not know');
  });

  test('has no rows if every package skips dependency resolution, with a comment', () => {
    const { files, lock } = render(set, { pin: 'digest' });
    expect(lock?.['packages']).toEqual([]);
    expect(files.get('lock.yaml')).toContain('# No rows: every package has `skipDependency');
    expect(files.get('lock.yaml')).toContain('packages: []\n');
  });

  test('needs no digests if it has no rows', () => {
    const undigested = locked('x.io/a/p:v1.2.0', { digest: undefined });
    const { files, warnings } = render(
      lockfileOf([undigested], { skipDependencyResolution: ['the inputs say so'] }),
    );
    expect(files.get('lock.yaml')).toContain('packages: []\n');
    expect(warnings).toEqual([]);
  });

  test('has the format of the requested target', () => {
    expect(render(set, { target: targetFor('v1.18.0') }).files.get('lock.yaml')).toContain(
      'type: Configuration',
    );
  });

  test('is missing with a reason if a digest is missing', () => {
    const { files, leftOut } = render(
      lockfileOf([locked('x.io/a/p:v1.2.0', { digest: undefined })]),
    );
    expect([...files.keys()]).toEqual(['packages.yaml', 'kustomization.yaml']);
    expect(leftOut).toEqual([expect.stringContaining('`lock.yaml` is not written')]);
  });

  test.each([
    { lockfile: set, pin: 'digest', why: 'packages that skip have no rows' },
    {
      lockfile: lockfileOf([locked('x.io/a/p:v1.2.0', { digest: undefined })]),
      pin: 'tag',
      why: 'no digest, no row',
    },
  ] as const)('cannot be applied: $why', ({ lockfile, pin }) => {
    expect(() => render(lockfile, { pin, applyLock: true })).toThrow(InputError);
  });
});

test('an empty lockfile is rendered as a valid, empty list of resources', () => {
  expect(render(lockfileOf([])).stream).toBe('');
});
