import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { plainSpec } from '../../../src/bundle/api-defaults.js';
import { takesField } from '../../../src/bundle/spec-fields.js';
import { readDump } from '../../../src/inputs/dump/read-dump.js';
import { formatLockfile } from '../../../src/lock/format-lockfile.js';
import type { LockedPackage, Lockfile } from '../../../src/lock/lockfile.js';
import { knownReleases, targetFor } from '../../../src/model/target/target.js';
import { openDir } from '../../../src/sources/dir/dir-source.js';
import { releaseOfDump } from '../../../src/usecases/cluster/dumped-release.js';
import { importCluster } from '../../../src/usecases/cluster/import-cluster.js';
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

/** A locked package as far as a dump can tell; with a source, all of it is told. */
function told(locked: LockedPackage): unknown {
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
    // Rendering leaves out what the kind does not have, and a lockfile says once that all skip.
    spec: Object.fromEntries(
      Object.entries(plainSpec(object.spec)).filter(
        ([field]) => takesField(kind, field) && field !== 'skipDependencyResolution',
      ),
    ),
  };
}

describe('the demo, applied to a cluster and taken back', () => {
  test('from the dump alone: all but what is in the images', async () => {
    const { lockfile, undigested, findings } = await imported(madeUpCluster(demo));
    expect(lockfile.packages.map(told)).toEqual(demo.packages.map(told));
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
    // `IfNotPresent` is what an API server writes, too; no cluster tells who said it.
    const withoutDefaults = demo.packages.map((locked) => ({
      ...locked,
      object: { ...locked.object, spec: plainSpec(locked.object.spec) },
    }));
    expect(formatLockfile(lockfile)).toBe(formatLockfile({ ...demo, packages: withoutDefaults }));
    expect(findings).toEqual([]);
  });
});

test('what all packages have in common is a default', async () => {
  const { request } = await imported(madeUpCluster(demo));
  expect(request.defaults).toEqual({ revisionHistoryLimit: 3 });
});

describe('who asked for a package', () => {
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

test('marks by which tools find what they applied are left behind, others are kept', async () => {
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

test('a tag that was moved since is not locked by what it names now', async () => {
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

test('of two objects for one repository the one that owns something is kept', async () => {
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
    expect(releaseOfDump(dump)).toEqual({ version: crossplane, isNamed: true });
  });

  test.each(RELEASES)('%s: without one, the newest that could hold such objects', (crossplane) => {
    const objects = madeUpCluster({ ...demo, crossplane }).filter(
      ({ kind }) => kind !== 'Deployment',
    );
    const { version, isNamed } = releaseOfDump(dumpOf(objects));
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
  });
});

/** Without what is in no Lock: dependencies where all skip, and, before v1.19, their explicit form. */
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

test('whatever is locked, rendered and applied is found again', async () => {
  const universe = applicable({ packages: 8 });
  await fc.assert(
    fc.asyncProperty(universe, async (lockfile) => {
      const { lockfile: back } = await imported(madeUpCluster(lockfile), lockfile.crossplane);
      expect(back.packages.map(told)).toEqual(lockfile.packages.map(asApplied(lockfile)).map(told));
      expect(back.crossplane).toBe(lockfile.crossplane);
      expect(back.skipDependencyResolution.length > 0).toBe(
        lockfile.packages.length > 0 && lockfile.skipDependencyResolution.length > 0,
      );
    }),
    { numRuns: 40 },
  );
});
