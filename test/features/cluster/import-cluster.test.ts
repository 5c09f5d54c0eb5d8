import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { plainSpec } from '../../../src/crossplane/packages/object-spec.js';
import { hasSpecField } from '../../../src/project/manifests/object-template.js';
import { readDump } from '../../support/read-dump.js';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import type { LockedPackage, Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { knownReleases, targetFor } from '../../../src/crossplane/releases/target.js';
import { openDir } from '../../../src/sources/dir-source.js';
import { detectRelease, importCluster } from '../../../src/features/cluster/import-cluster.js';
import { resolvedDemo } from '../../support/demo-lockfile.js';
import {
  applicable,
  asJsonList,
  madeUpCluster,
  type ClusterObject,
} from '../../support/made-up-cluster.js';

const PACKAGES = join(import.meta.dirname, '../../../fixtures/packages');

let demo: Lockfile;

beforeAll(async () => {
  demo = await resolvedDemo();
});

function dumpOf(objects: readonly ClusterObject[]) {
  return readDump([{ file: 'cluster.yaml', text: asJsonList(objects) }]);
}

async function imported(objects: readonly ClusterObject[], crossplane = demo.crossplane) {
  return importCluster(dumpOf(objects), { target: targetFor(crossplane)! });
}

/** Returns the part of a locked package that a dump contains; with a source, all of it. */
function knownParts(locked: LockedPackage): unknown {
  const { repository, version, kind, name, requirements, owns, object } = locked;
  return {
    repository,
    version,
    kind,
    name,
    requirements: requirements.filter(({ requires }) => requires === 'package'),
    owns: owns
      .filter((owned) => owned.kind !== 'claim' && kind !== 'Function')
      .map((owned) => (owned.kind === 'MRD' ? { ...owned, kind: 'CRD' } : owned)),
    metadata: object.metadata,
    // Rendering omits fields that the kind does not have. A lockfile states only once that all
    // packages skip.
    spec: Object.fromEntries(
      Object.entries(plainSpec(object.spec)).filter(
        ([field]) => hasSpecField(kind, field) && field !== 'skipDependencyResolution',
      ),
    ),
  };
}

describe('the demo, applied to a cluster and imported again', () => {
  test('from the dump alone: everything that is not only in images', async () => {
    const { lockfile, undigested, findings } = await imported(madeUpCluster(demo));
    expect(lockfile.packages.map(knownParts)).toEqual(demo.packages.map(knownParts));
    expect(lockfile.packages.map(({ direct }) => direct)).toEqual(
      demo.packages.map(({ direct }) => direct),
    );
    expect(lockfile.objects).toEqual(demo.objects);
    expect(lockfile.skipDependencyResolution).toEqual([]);
    expect(undigested).toBe(demo.packages.length);
    expect(findings).toEqual([]);
  });

  test('with a source: the lockfile itself', async () => {
    const target = targetFor(demo.crossplane)!;
    const dump = dumpOf(madeUpCluster(demo));
    const source = await openDir(PACKAGES);
    const { lockfile, findings } = await importCluster(dump, { target, source });
    // An API server sets `IfNotPresent`, too, so a dump does not show who set it.
    const withoutDefaults = demo.packages.map((locked) => ({
      ...locked,
      object: { ...locked.object, spec: plainSpec(locked.object.spec) },
    }));
    expect(formatLockfile(lockfile)).toBe(
      formatLockfile({ ...demo, inputs: undefined, packages: withoutDefaults }),
    );
    expect(findings).toEqual([]);
  });
});

test('settings that all packages share become defaults', async () => {
  const { request } = await imported(madeUpCluster(demo));
  expect(request.defaults).toEqual({ revisionHistoryLimit: 3 });
});

describe('the origin of a package', () => {
  const name = 'acme-contrib-provider-family-cloud';
  const edited = async (edit: (object: ClusterObject) => void) => {
    const objects = madeUpCluster(demo);
    edit(objects.find((each) => each.kind === 'Provider' && each.metadata.name === name)!);
    const { lockfile, required } = await imported(objects);
    const locked = lockfile.packages.find(({ repository }) =>
      repository.endsWith('provider-family-cloud'),
    )!;
    expect(required.has(locked.repository)).toBe(locked.direct);
    return locked.direct;
  };

  test.each<readonly [string, boolean, (object: ClusterObject) => void]>([
    ['the resolver of the cluster', false, () => {}],
    [
      'a person, by kubectl apply',
      true,
      ({ metadata }) =>
        (metadata.annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' }),
    ],
    ['a person, by a setting', true, ({ spec }) => (spec['runtimeConfigRef'] = { name: 'big' })],
    [
      'a tool, by its label',
      true,
      ({ metadata }) => (metadata.labels = { 'app.kubernetes.io/managed-by': 'Helm' }),
    ],
  ])('%s', async (_, direct, edit) => {
    expect(await edited(edit)).toBe(direct);
  });
});

test('imports only a ControllerConfig that a package refers to', async () => {
  const objects = madeUpCluster({ ...demo, crossplane: 'v1.20.11' });
  const helm = objects.find(({ metadata }) => metadata.name === 'acme-contrib-provider-helm')!;
  helm.spec['controllerConfigRef'] = { name: 'big' };
  const configs = ['big', 'unused'].map((name) => ({
    ...helm,
    apiVersion: 'pkg.crossplane.io/v1alpha1',
    kind: 'ControllerConfig',
    metadata: { name, uid: name },
    spec: { replicas: 2 },
  }));
  const { request, lockfile } = await imported([...objects, ...configs], 'v1.20.11');
  const names = request.kept
    .filter(({ object }) => object['kind'] === 'ControllerConfig')
    .map(({ object }) => object['metadata']);
  expect(names).toMatchObject([{ name: 'big' }]);
  expect(lockfile.objects).toContainEqual({
    apiVersion: 'pkg.crossplane.io/v1alpha1',
    kind: 'ControllerConfig',
    metadata: { name: 'big' },
    spec: { replicas: 2 },
  });
});

test('imports an empty runtime config that a package refers to, except `default`', async () => {
  const objects = madeUpCluster({ ...demo, crossplane: 'v1.20.11' });
  const [one, other] = objects.filter(({ kind }) => kind === 'Provider');
  one!.spec['runtimeConfigRef'] = { name: 'default' };
  other!.spec['runtimeConfigRef'] = { name: 'plain' };
  const configs = ['default', 'plain', 'unused'].map((name) => ({
    ...one!,
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'DeploymentRuntimeConfig',
    metadata: { name, uid: name },
    spec: {},
  }));
  const { lockfile } = await imported([...objects, ...configs], 'v1.20.11');
  const kept = lockfile.objects.filter(({ kind }) => kind === 'DeploymentRuntimeConfig');
  const names = kept.map(({ metadata }) => metadata);
  expect(names).toContainEqual({ name: 'plain' });
  expect(names).not.toContainEqual({ name: 'default' });
  expect(names).not.toContainEqual({ name: 'unused' });
});

test('imports a package that is never pulled by the name of its file', async () => {
  const objects = madeUpCluster({ ...demo, crossplane: 'v1.20.11' });
  const helm = objects.find(({ metadata }) => metadata.name === 'acme-contrib-provider-helm')!;
  helm.spec['package'] = 'mycoolpkg';
  helm.spec['packagePullPolicy'] = 'Never';
  const { request, lockfile } = await imported(objects, 'v1.20.11');
  const root = request.roots.find(
    (each) => each.root === 'package' && each.repository === 'mycoolpkg',
  );
  expect(root).toMatchObject({ object: { spec: { package: 'mycoolpkg' } } });
  expect(lockfile.packages.find(({ repository }) => repository === 'mycoolpkg')).toMatchObject({
    object: { untagged: true },
  });
});

test('drops tracking labels and annotations of tools and keeps all others', async () => {
  const objects = madeUpCluster(demo);
  const helm = objects.find(({ metadata }) => metadata.name === 'acme-contrib-provider-helm')!;
  helm.metadata.labels = { ...helm.metadata.labels, 'app.kubernetes.io/managed-by': 'Helm' };
  helm.metadata.annotations!['argocd.argoproj.io/tracking-id'] = 'platform:x';
  helm.metadata.labels['app.kubernetes.io/instance'] = 'platform';
  const { lockfile } = await imported(objects);
  const locked = lockfile.packages.find(({ name }) => name === helm.metadata.name)!;
  expect(locked.object.metadata).toEqual({
    annotations: { 'argocd.argoproj.io/sync-wave': '-1' },
    labels: { team: 'platform' },
  });
});

test('does not lock the new digest of a moved tag', async () => {
  const objects = madeUpCluster(demo);
  const name = 'acme-contrib-provider-helm';
  const moved = `${name}-0123456789ab`;
  for (const each of objects) {
    if (
      each.kind === 'ProviderRevision' &&
      each.metadata.labels?.['pkg.crossplane.io/package'] === name
    )
      each.metadata.name = moved;
    if (each.kind === 'Provider' && each.metadata.name === name)
      each.status.currentRevision = moved;
    if (each.kind === 'Lock')
      for (const row of each.packages) if (row.name.startsWith(name)) row.name = moved;
  }
  const source = await openDir(PACKAGES);
  const target = targetFor(demo.crossplane)!;
  const { lockfile, findings, undigested } = await importCluster(dumpOf(objects), {
    target,
    source,
  });
  expect(findings.map(({ rule }) => rule)).toEqual(['moved-tag']);
  expect(undigested).toBe(1);
  expect(lockfile.packages.find((each) => each.name === name)?.digest).toBeUndefined();
});

test('of two objects for one repository, keeps the one with owned objects', async () => {
  const objects = madeUpCluster(demo);
  const helm = objects.find(({ metadata }) => metadata.name === 'acme-contrib-provider-helm')!;
  const twin = structuredClone(helm);
  twin.metadata = { name: 'a-twin', uid: 'twin' };
  const { lockfile, findings } = await imported([twin, ...objects]);
  expect(lockfile.packages.map(({ name }) => name)).not.toContain('a-twin');
  expect(findings[0]).toMatchObject({ rule: 'duplicate-source', severity: 'error' });
  expect(findings[0]!.fix).toContain('kubectl delete provider.pkg.crossplane.io/a-twin');
});

describe('the release of a dump', () => {
  const RELEASES = ['v1.14.0', 'v1.17.0', 'v1.18.0', 'v1.20.11', 'v2.0.2', 'v2.3.4'];

  test.each(RELEASES)('%s is read from the Deployment', (crossplane) => {
    const dump = dumpOf(madeUpCluster({ ...demo, crossplane }));
    expect(detectRelease(dump)).toEqual({ version: crossplane, isNamed: true });
  });

  test.each(RELEASES)(
    '%s: without one, the newest release that may have such objects',
    (crossplane) => {
      const objects = madeUpCluster({ ...demo, crossplane }).filter(
        ({ kind }) => kind !== 'Deployment',
      );
      const { version, isNamed } = detectRelease(dumpOf(objects));
      const [own, found] = [targetFor(crossplane)!.rules, targetFor(version)!.rules];
      expect(isNamed).toBe(false);
      expect(knownReleases().indexOf(version)).toBeGreaterThanOrEqual(
        knownReleases().indexOf(crossplane),
      );
      expect(found.revisionHealth).toBe(own.revisionHealth);
      expect([found.lockRows, found.functionApiVersion]).toEqual([
        own.lockRows,
        own.functionApiVersion,
      ]);
    },
  );
});

/**
 * Removes what a Lock does not contain: dependencies if all packages skip, and, before v1.19, their
 * explicit form.
 */
function asApplied({ crossplane, skipDependencyResolution }: Lockfile) {
  const hasTypes = targetFor(crossplane)!.rules.lockRows === 'type';
  return (locked: LockedPackage): LockedPackage => ({
    ...locked,
    requirements:
      skipDependencyResolution.length > 0
        ? []
        : locked.requirements.map((each) =>
            each.requires === 'package' && hasTypes ? { ...each, apiVersion: undefined } : each,
          ),
  });
}

test('importing a rendered and applied lockfile gives the same lockfile', async () => {
  const universe = applicable({ packages: 8 });
  await fc.assert(
    fc.asyncProperty(universe, async (lockfile) => {
      const { lockfile: back } = await imported(madeUpCluster(lockfile), lockfile.crossplane);
      expect(back.packages.map(knownParts)).toEqual(
        lockfile.packages.map(asApplied(lockfile)).map(knownParts),
      );
      expect(back.crossplane).toBe(lockfile.crossplane);
      expect(back.skipDependencyResolution.length > 0).toBe(
        lockfile.packages.length > 0 && lockfile.skipDependencyResolution.length > 0,
      );
    }),
    { numRuns: 40 },
  );
});
