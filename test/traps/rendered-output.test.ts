import { describe, expect, test } from 'vitest';
import { bundleOf } from '../../src/project/manifests/bundle.js';
import { objectTemplate } from '../../src/project/manifests/object-template.js';
import { InputError } from '../../src/base/errors.js';
import type { JsonObject } from '../../src/base/json.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { render } from '../../src/project/manifests/render.js';
import { locked, lockfileOf, needs } from '../support/lockfiles.js';

const target = targetFor('v2.3.4')!;
const cfg = locked('xpkg.io/a/cfg:v1.0.0', {
  kind: 'Configuration',
  requirements: [needs('xpkg.io/a/p *')],
});
const p = locked('xpkg.io/a/p:v1.0.0');

function specs(objects: readonly JsonObject[]): unknown[] {
  return objects.map(({ spec }) => spec);
}

describe('on rendered objects', () => {
  test('skipDependencyResolution on one package would make its dependents fail', () => {
    const skipping = {
      apiVersion: undefined,
      metadata: {},
      spec: { skipDependencyResolution: true },
    };
    const mixed = lockfileOf([cfg, { ...p, object: skipping }]);
    expect(() => bundleOf(mixed, target, 'tag')).toThrow(InputError);
  });

  test('pull secrets are not inherited: defaults are set on each object, dependencies too', () => {
    const defaults = { packagePullSecrets: [{ name: 'regcred' }] };
    const set = [cfg, p].map((each) => ({
      ...each,
      object: objectTemplate({ kind: each.kind, defaults, spec: {}, object: undefined }),
    }));
    expect(specs(bundleOf(lockfileOf(set), target, 'tag').objects)).toEqual([
      { package: 'xpkg.io/a/p:v1.0.0', ...defaults },
      { package: 'xpkg.io/a/cfg:v1.0.0', ...defaults },
    ]);
  });

  test('only requested fields are set: the defaults of the CRD apply', () => {
    expect(specs(bundleOf(lockfileOf([p]), target, 'tag').objects)).toEqual([
      { package: 'xpkg.io/a/p:v1.0.0' },
    ]);
  });

  test.each([
    { version: 'v1.16.5', want: 'pkg.crossplane.io/v1beta1' },
    { version: 'v1.17.0', want: 'pkg.crossplane.io/v1' },
  ])('on $version a Function is $want', ({ version, want }) => {
    const set = lockfileOf([locked('xpkg.io/a/f:v1.0.0', { kind: 'Function' })]);
    expect(bundleOf(set, targetFor(version)!, 'tag').objects[0]!['apiVersion']).toBe(want);
  });

  test('a mirror is an ImageConfig: sources and packages keep their names', () => {
    const mirror: JsonObject = {
      apiVersion: 'pkg.crossplane.io/v1beta1',
      kind: 'ImageConfig',
      metadata: { name: 'mirror' },
      spec: { matchImages: [{ prefix: 'xpkg.io' }], rewriteImage: { prefix: 'mirror.dev/x' } },
    };
    const { bundle, lock } = render(lockfileOf([p], { objects: [mirror] }));
    expect(bundle.objects[0]).toEqual(mirror);
    expect(specs(bundle.objects.slice(1))).toEqual([{ package: 'xpkg.io/a/p:v1.0.0' }]);
    expect(lock!['packages']).toMatchObject([{ source: 'xpkg.io/a/p' }]);
  });
});
