import { describe, expect, test } from 'vitest';
import { bundleOf } from '../../../src/project/manifests/bundle.js';
import { labelOf } from '../../../src/project/manifests/object-names.js';
import { objectTemplate } from '../../../src/project/manifests/object-template.js';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import type { Lockfile, ObjectTemplate } from '../../../src/project/lockfile/lockfile.js';
import { parseLockfile } from '../../../src/project/lockfile/parse-lockfile.js';
import { InputError } from '../../../src/base/errors.js';
import type { PackageKind } from '../../../src/crossplane/packages/package.js';
import type { JsonObject } from '../../../src/base/json.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { digestOf, locked, lockfileOf, needs } from '../../support/lockfiles.js';

const at = (version: string) => targetFor(version)!;
const latest = at('v2.3.4');

function withSpec(spec: JsonObject, kind: PackageKind = 'Provider') {
  return lockfileOf([
    locked('x.io/a/p:v1.0.0', { kind, object: { apiVersion: undefined, metadata: {}, spec } }),
  ]);
}

const mirror: JsonObject = {
  apiVersion: 'pkg.crossplane.io/v1beta1',
  kind: 'ImageConfig',
  metadata: { name: 'mirror' },
  spec: {
    matchImages: [{ prefix: 'x.io' }],
    rewriteImage: { prefix: 'mirror.dev/x' },
    registry: { authentication: { pullSecretRef: { name: 's' } } },
  },
};
const big: JsonObject = {
  apiVersion: 'pkg.crossplane.io/v1beta1',
  kind: 'DeploymentRuntimeConfig',
  metadata: { name: 'big' },
  spec: {},
};

const activation: JsonObject = {
  apiVersion: 'apiextensions.crossplane.io/v1alpha1',
  kind: 'ManagedResourceActivationPolicy',
  metadata: { name: 'some' },
  spec: { activate: ['*.a.io'] },
};

test('an activation policy comes before packages, on releases that have it', () => {
  const set = lockfileOf([locked('x.io/a/p:v1.0.0')], { objects: [activation] });
  const { objects } = bundleOf(set, latest, 'tag');
  expect(objects.map(({ kind }) => kind)).toEqual(['ManagedResourceActivationPolicy', 'Provider']);
  expect(objects[0]).toEqual(activation);
  expect(bundleOf(set, at('v2.0.0'), 'tag').objects).toHaveLength(2);
  expect(() => bundleOf(set, at('v1.20.11'), 'tag')).toThrow(
    /`some` cannot be applied: Crossplane v1.20.11 has no ManagedResourceActivationPolicy/,
  );
  const old = { ...activation, apiVersion: 'pkg.crossplane.io/v1beta1' };
  expect(() => bundleOf({ ...set, objects: [old] }, latest, 'tag')).toThrow(
    /must be `apiextensions.crossplane.io\/v1alpha1`/,
  );
});

test('a ControllerConfig is rendered for releases that have it, and rejected for others', () => {
  const config: JsonObject = {
    apiVersion: 'pkg.crossplane.io/v1alpha1',
    kind: 'ControllerConfig',
    metadata: { name: 'big' },
    spec: { replicas: 2 },
  };
  const spec = { controllerConfigRef: { name: 'big' } };
  const set = lockfileOf(
    [locked('x.io/a/p:v1.0.0', { object: { apiVersion: undefined, metadata: {}, spec } })],
    { objects: [config] },
  );
  const { objects } = bundleOf(set, at('v1.20.11'), 'tag');
  expect(objects[0]).toEqual(config);
  expect(objects[1]).toMatchObject({ spec });
  expect(() => bundleOf(set, at('v2.0.0'), 'tag')).toThrow(
    /`big` cannot be applied: Crossplane v2.0.0 has no ControllerConfig, which was removed in v2.0/,
  );
});

test('a package that is never pulled keeps a reference without a tag', () => {
  const spec = { packagePullPolicy: 'Never' };
  const rendered = (text: string, own: JsonObject = spec) => {
    const object = { spec: { package: text, ...own } };
    const template = objectTemplate({ kind: 'Provider', defaults: {}, spec: {}, object });
    const set = lockfileOf([locked('mycoolpkg:latest', { object: template })]);
    // The formatted lockfile must contain all that rendering needs.
    const read = parseLockfile(formatLockfile(set), 'xpkg.lock.yaml');
    expect(read).toEqual(set);
    return bundleOf(read, at('v1.20.11'), 'tag').objects.map(({ spec: each }) => each);
  };
  expect(rendered('mycoolpkg')).toEqual([{ package: 'mycoolpkg', ...spec }]);
  expect(rendered('mycoolpkg:latest')).toEqual([{ package: 'mycoolpkg:latest', ...spec }]);
  expect(rendered('mycoolpkg', {})).toEqual([{ package: 'mycoolpkg:latest' }]);
});

test('extra manifests come first in the given order, then packages, dependencies first', () => {
  const set = lockfileOf(
    [
      locked('x.io/a/cfg:v1.0.0', { kind: 'Configuration', requirements: [needs('x.io/a/p *')] }),
      locked('x.io/a/p:v1.0.0'),
    ],
    { objects: [big, mirror] },
  );
  expect(bundleOf(set, latest, 'tag').objects.map(labelOf)).toEqual([
    'DeploymentRuntimeConfig `big`',
    'ImageConfig `mirror`',
    'Provider `a-p`',
    'Configuration `a-cfg`',
  ]);
});

test('an object keeps the settings of the user', () => {
  const set = lockfileOf([
    locked('x.io/a/p:v1.0.0', {
      name: 'mine',
      object: {
        apiVersion: 'pkg.crossplane.io/v1',
        metadata: { labels: { team: 'a' } },
        spec: { runtimeConfigRef: { name: 'big' } },
      },
    }),
  ]);
  expect(bundleOf(set, latest, 'tag').objects).toEqual([
    {
      apiVersion: 'pkg.crossplane.io/v1',
      kind: 'Provider',
      metadata: { name: 'mine', labels: { team: 'a' } },
      spec: { package: 'x.io/a/p:v1.0.0', runtimeConfigRef: { name: 'big' } },
    },
  ]);
});

test('a template cannot set name, owners or package, not even for an unknown release', () => {
  const metadata = { name: 'other', namespace: 'x', ownerReferences: [{}], uid: '1' };
  const object: ObjectTemplate = { apiVersion: undefined, metadata, spec: {} };
  const claims = lockfileOf([locked('x.io/a/p:v1.0.0', { object })]);
  const [rendered] = bundleOf(claims, at('v99.0.0'), 'tag').objects;
  expect(rendered).toMatchObject({ metadata: { name: 'a-p' } });
  expect(Object.keys(rendered!['metadata']!)).toEqual(['name']);
  const another = withSpec({ package: 'x.io/evil/p:v1' });
  expect(() => bundleOf(another, at('v99.0.0'), 'tag')).toThrow('spec.package');
});

describe('pins', () => {
  const byDigest = digestOf('bytes');
  test.each([
    { reference: 'x.io/a/p:v1.0.0', pin: 'tag', want: 'x.io/a/p:v1.0.0', why: 'the default' },
    {
      reference: `x.io/a/p@${byDigest}`,
      pin: 'tag',
      want: `x.io/a/p@${byDigest}`,
      why: 'demanded by digest',
    },
    {
      reference: 'x.io/a/p:v1.0.0',
      pin: 'digest',
      want: `x.io/a/p@${digestOf('x.io/a/p:v1.0.0')}`,
      why: 'asked for',
    },
  ] as const)('$reference, --pin $pin → $want: $why', ({ reference, pin, want }) => {
    const { objects, skips } = bundleOf(lockfileOf([locked(reference)]), latest, pin);
    const skip = pin === 'digest' ? { skipDependencyResolution: true } : {};
    expect(objects[0]!['spec']).toEqual({ package: want, ...skip });
    expect(skips.length > 0).toBe(pin === 'digest');
  });

  test('a package without a digest cannot be pinned by digest', () => {
    const set = lockfileOf([locked('x.io/a/p:v1.0.0', { digest: undefined })]);
    expect(() => bundleOf(set, latest, 'digest')).toThrow(InputError);
  });
});

function skipped(set: Lockfile): unknown[] {
  const { objects } = bundleOf(set, latest, 'tag');
  return objects.map(({ spec }) => (spec as JsonObject)['skipDependencyResolution']);
}

describe('skipDependencyResolution is on all objects or on none', () => {
  const skip = { apiVersion: undefined, metadata: {}, spec: { skipDependencyResolution: true } };
  test('for a reason in the lockfile', () => {
    const set = lockfileOf([locked('x.io/a/p:v1.0.0'), locked('x.io/a/q:v1.0.0')], {
      skipDependencyResolution: ['an override breaks a constraint'],
    });
    expect(skipped(set)).toEqual([true, true]);
  });

  test('because every object was given with it', () => {
    const set = lockfileOf([locked('x.io/a/p:v1.0.0', { object: skip })]);
    expect(skipped(set)).toEqual([true]);
  });

  test('a mixture is rejected', () => {
    const set = lockfileOf([
      locked('x.io/a/p:v1.0.0', { object: skip }),
      locked('x.io/a/q:v1.0.0'),
    ]);
    expect(() => bundleOf(set, latest, 'tag')).toThrow(InputError);
  });
});

describe('by target', () => {
  test.each([
    { version: 'v1.16.5', asked: undefined, want: 'pkg.crossplane.io/v1beta1', why: 'not v1 yet' },
    {
      version: 'v1.16.5',
      asked: 'pkg.crossplane.io/v1',
      want: 'pkg.crossplane.io/v1beta1',
      why: 'v1 is not served',
    },
    { version: 'v1.17.0', asked: undefined, want: 'pkg.crossplane.io/v1', why: 'now v1' },
    {
      version: 'v2.3.4',
      asked: 'pkg.crossplane.io/v1beta1',
      want: 'pkg.crossplane.io/v1beta1',
      why: 'still served',
    },
  ])('a Function on $version, given as $asked, is $want: $why', ({ version, asked, want }) => {
    const set = lockfileOf([
      locked('x.io/a/f:v1.0.0', {
        kind: 'Function',
        object: { apiVersion: asked, metadata: {}, spec: {} },
      }),
    ]);
    expect(bundleOf(set, at(version), 'tag').objects[0]!['apiVersion']).toBe(want);
  });

  test.each([
    {
      field: 'commonAnnotations',
      value: { a: 'b' },
      kind: 'Provider',
      version: 'v2.2.4',
      kept: false,
    },
    {
      field: 'commonAnnotations',
      value: { a: 'b' },
      kind: 'Provider',
      version: 'v2.3.0',
      kept: true,
    },
    {
      field: 'controllerConfigRef',
      value: { name: 'c' },
      kind: 'Provider',
      version: 'v1.20.0',
      kept: true,
    },
    {
      field: 'controllerConfigRef',
      value: { name: 'c' },
      kind: 'Provider',
      version: 'v2.0.0',
      kept: false,
    },
    {
      field: 'runtimeConfigRef',
      value: { name: 'c' },
      kind: 'Function',
      version: 'v1.14.0',
      kept: true,
    },
    {
      field: 'runtimeConfigRef',
      value: { name: 'c' },
      kind: 'Configuration',
      version: 'v2.3.4',
      kept: false,
    },
  ] as const)('spec.$field of a $kind on $version is kept: $kept, otherwise a warning', (row) => {
    const { objects, warnings } = bundleOf(
      withSpec({ [row.field]: row.value }, row.kind),
      at(row.version),
      'tag',
    );
    expect(Object.hasOwn(objects[0]!['spec'] as JsonObject, row.field)).toBe(row.kept);
    expect(warnings).toHaveLength(row.kept ? 0 : 1);
  });

  test.each([
    { version: 'v1.14.0', fields: undefined, warnings: 1, why: 'no ImageConfig at all' },
    {
      version: 'v1.18.0',
      fields: ['matchImages', 'registry'],
      warnings: 1,
      why: 'no rewriting yet',
    },
    {
      version: 'v1.20.0',
      fields: ['matchImages', 'registry', 'rewriteImage'],
      warnings: 0,
      why: 'all of it',
    },
  ])('an ImageConfig on $version: $why', ({ version, fields, warnings }) => {
    const bundle = bundleOf(lockfileOf([], { objects: [mirror] }), at(version), 'tag');
    const spec = bundle.objects[0]?.['spec'] as JsonObject | undefined;
    expect(spec && Object.keys(spec)).toEqual(fields);
    expect(bundle.warnings).toHaveLength(warnings);
  });

  test('an ImageConfig without any effect is left out', () => {
    const rewriteOnly = {
      ...mirror,
      spec: { matchImages: [{ prefix: 'x.io' }], rewriteImage: { prefix: 'm' } },
    };
    expect(
      bundleOf(lockfileOf([], { objects: [rewriteOnly] }), at('v1.19.0'), 'tag').objects,
    ).toEqual([]);
  });
});

describe('objects that an API server would reject are rejected', () => {
  test.each([
    { spec: { packagePullPolcy: 'Always' }, why: 'a field nobody has' },
    { spec: { revisionHistoryLimit: '1' }, why: 'a string for an integer' },
    { spec: { packagePullSecrets: ['regcred'] }, why: 'strings for references' },
    { spec: { runtimeConfigRef: { nam: 'x' } }, why: 'a reference with no name' },
    { spec: { commonLabels: { a: 1 } }, why: 'a label that is a number' },
  ])('$spec: $why', ({ spec }) => {
    expect(() => bundleOf(withSpec(spec), latest, 'tag')).toThrow(InputError);
  });

  test('two extra manifests with one name', () => {
    expect(() => bundleOf(lockfileOf([], { objects: [big, big] }), latest, 'tag')).toThrow(
      InputError,
    );
  });

  test('but a release that is newer than the tool may have more fields', () => {
    const { objects, warnings } = bundleOf(withSpec({ later: 1 }), at('v9.0.0'), 'tag');
    expect(objects[0]!['spec']).toEqual({ package: 'x.io/a/p:v1.0.0', later: 1 });
    expect(warnings).toHaveLength(1);
  });
});

test.each([
  { name: 'a-p', needed: true, skip: [], warned: false, why: "Crossplane's own name" },
  { name: 'mine', needed: true, skip: [], warned: true, why: 'its resolver looks for another' },
  { name: 'mine', needed: false, skip: [], warned: false, why: 'its resolver does not look' },
  { name: 'mine', needed: true, skip: ['why'], warned: false, why: 'its resolver does nothing' },
])('a dependency named $name is warned about: $warned ($why)', ({ name, needed, skip, warned }) => {
  const requirements = needed ? [needs('x.io/a/p *')] : [];
  const set = lockfileOf(
    [
      locked('x.io/a/cfg:v1.0.0', { kind: 'Configuration', requirements }),
      locked('x.io/a/p:v1.0.0', { name }),
    ],
    { skipDependencyResolution: skip },
  );
  expect(bundleOf(set, latest, 'tag').warnings.length > 0).toBe(warned);
});
