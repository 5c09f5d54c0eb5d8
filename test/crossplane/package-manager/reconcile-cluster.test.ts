import { describe, expect, test } from 'vitest';
import { runWith } from '../../support/known-images.js';
import {
  isHealthy,
  packageConditions,
} from '../../../src/crossplane/package-manager/cluster-state.js';
import {
  reconcileCluster,
  type UserChange,
} from '../../../src/crossplane/package-manager/reconcile-cluster.js';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { arrivalOrder } from '../../../src/features/simulate/simulate.js';
import { imagesOf, rowsOf, settled, stepsOf, wanted } from '../../support/clusters.js';
import { providers, requiring } from '../../support/universes.js';

const HOST = 'xpkg.example.org/acme';
const [A, B, C] = ['a', 'b', 'c'].map((name) => `${HOST}/${name}`) as [string, string, string];
const [V1, V2] = ['v1.0.0', 'v2.0.0'];
const TARGET = targetFor('v2.3.4')!;
const CRD = 'buckets.example.org';

function after(
  before: ReturnType<typeof settled>,
  acts: readonly UserChange[],
  universe: IndexFile,
) {
  return runWith(
    reconcileCluster(before.state, acts, { target: TARGET }),
    imagesOf(universe, TARGET),
  );
}

describe('a running cluster', () => {
  const universe = providers({
    [A]: { [V1]: requiring({ [B]: '<2.0.0' }), [V2]: requiring({ [B]: '>=2.0.0' }) },
    [B]: { [V1]: {}, [V2]: {} },
  });
  const running = settled(universe, [`${B}:${V1}`, `${A}:${V1}`]);

  test('an upgrade replaces the old revision in the Lock by the new one', () => {
    const acts = [`${B}:${V2}`, `${A}:${V2}`].map((text) => ({ apply: wanted(text) }));
    const end = after(running, acts, universe);
    expect(rowsOf(end).toSorted()).toEqual([`${A}@${V2}`, `${B}@${V2}`]);
    expect(isHealthy(end.state, TARGET)).toBe(true);
    expect(end.state.revisions.filter(({ active }) => !active)).toHaveLength(2);
  });

  test('is unhealthy if only one package moves', () => {
    const end = after(running, [{ apply: wanted(`${B}:${V2}`) }], universe);
    expect(stepsOf(end).at(-1)).toContain(`${B}@${V2} is incompatible with constraint <2.0.0`);
    expect(isHealthy(end.state, TARGET)).toBe(false);
  });

  test('reports a removed dependency as missing', () => {
    const end = after(running, [{ remove: { kind: 'Provider', name: 'acme-b' } }], universe);
    expect(stepsOf(end)).toEqual([`removed b ${V1}`, `installed b ${V1} for a <2.0.0`]);
    expect(isHealthy(end.state, TARGET)).toBe(true);
  });

  test('keeps its revision if the new tag does not exist', () => {
    const end = after(running, [{ apply: wanted(`${B}:v9.0.0`) }], universe);
    expect(stepsOf(end).at(-1)).toContain('cannot unpack package');
    expect(rowsOf(end)).toEqual([`${B}@${V1}`, `${A}@${V1}`]);
  });

  test.each([
    ['v1.20.11', 'True'],
    ['v2.3.4', 'False'],
  ])('reports the running revision as %s does if a tag does not exist', (release, status) => {
    const first = settled(universe, [`${B}:${V1}`], { crossplane: release });
    const { state } = settled(universe, [`${B}:v9.0.0`], { crossplane: release, ...first });
    expect(packageConditions(state, targetFor(release)!)).toMatchObject([
      { installed: { status: 'False' }, healthy: { status } },
    ]);
  });
});

describe('control of objects', () => {
  test('a slow dependency may lose its objects to a later one', () => {
    // Observed on v1.20.11: the resolver continues once a row exists, and C was faster than B.
    const universe = providers({
      [A]: { [V1]: requiring({ [B]: '*', [C]: '*' }) },
      [B]: { [V1]: { crds: [CRD] } },
      [C]: { [V1]: { crds: [CRD] } },
    });
    const owners = Array.from({ length: 40 }, (_, seed) => {
      const { state } = settled(universe, [`${A}:${V1}`], { next: arrivalOrder(seed) });
      return packageConditions(state, TARGET)
        .filter(({ healthy }) => healthy.status === 'True')
        .map(({ reference }) => reference)
        .filter((reference) => !reference.startsWith(A));
    });
    expect(new Set(owners.flat())).toEqual(new Set([`${B}:${V1}`, `${C}:${V1}`]));
    expect(owners.every((each) => each.length === 1)).toBe(true);
    expect(stepsOf(settled(universe, [`${A}:${V1}`])).at(-1)).toMatch(/^fail c /);
  });

  test('a package that waited for a dependency may be faster than one without', () => {
    // Observed on v1.17.1 and v1.19.0: A was retried as soon as B existed, and C was slow.
    const universe = providers({
      [A]: { [V1]: { ...requiring({ [B]: '*' }), crds: [CRD] } },
      [B]: { [V1]: {} },
      [C]: { [V1]: { crds: [CRD] } },
    });
    const owners = Array.from({ length: 40 }, (_, seed) => {
      const roots = [`${A}:${V1}`, `${C}:${V1}`];
      const { state } = settled(universe, roots, { next: arrivalOrder(seed) });
      return packageConditions(state, TARGET)
        .filter(({ healthy }) => healthy.status === 'True')
        .map(({ reference }) => reference)
        .filter((reference) => !reference.startsWith(B));
    });
    expect(new Set(owners.flat())).toEqual(new Set([`${A}:${V1}`, `${C}:${V1}`]));
  });

  test('an object moves from a package that dropped it to a package that adds it', () => {
    const universe = providers({
      [A]: { [V1]: { crds: [CRD] }, [V2]: {} },
      [B]: { [V1]: { crds: [CRD] } },
    });
    const both = settled(universe, [`${A}:${V1}`, `${B}:${V1}`]);
    expect(isHealthy(both.state, TARGET)).toBe(false);
    const end = after(both, [{ apply: wanted(`${A}:${V2}`) }], universe);
    expect(isHealthy(end.state, TARGET)).toBe(true);
  });

  test('removing a package removes its objects', () => {
    const universe = providers({ [A]: { [V1]: { crds: [CRD] } }, [B]: { [V1]: { crds: [CRD] } } });
    const both = settled(universe, [`${A}:${V1}`, `${B}:${V1}`]);
    const end = after(both, [{ remove: { kind: 'Provider', name: 'acme-a' } }], universe);
    expect(isHealthy(end.state, TARGET)).toBe(true);
  });

  test.each(['v1.20.11', 'v2.3.4'])(
    'a claim CRD of a provider is a hidden conflict on %s, or blocks a later provider',
    (crossplane) => {
      const universe: IndexFile = {
        packages: {
          ...providers({ [B]: { [V1]: { crds: ['dbs.acme.io'] } } }).packages,
          [A]: {
            kind: 'Configuration',
            versions: { [V1]: { xrds: [{ name: 'xdbs.acme.io', claim: 'dbs.acme.io' }] } },
          },
        },
      };
      const target = targetFor(crossplane)!;
      const end = settled(universe, [`${B}:${V1}`, `Configuration ${A}:${V1}`], { crossplane });
      expect(isHealthy(end.state, target)).toBe(true);
      expect(end.state.hidden.map(({ crd }) => crd)).toEqual(['dbs.acme.io']);
      const other = settled(universe, [`Configuration ${A}:${V1}`, `${B}:${V1}`], { crossplane });
      expect([isHealthy(other.state, target), other.state.hidden.length]).toEqual(
        target.rules.compositeScopes ? [true, 1] : [false, 0],
      );
    },
  );

  test.each([
    { crd: 'buckets.acme.io', crossplane: 'v2.0.8', isConverted: true },
    { crd: 'providerconfigs.acme.io', crossplane: 'v2.0.1', isConverted: true },
    { crd: 'providerconfigs.acme.io', crossplane: 'v2.0.2', isConverted: false },
    { crd: 'clusterproviderconfigusages.acme.io', crossplane: 'v2.0.8', isConverted: true },
    { crd: 'clusterproviderconfigusages.acme.io', crossplane: 'v2.2.0', isConverted: false },
  ])('conversion of $crd on $crossplane', ({ crd, crossplane, isConverted }) => {
    const universe = providers({ [A]: { [V1]: { crds: [crd] } } });
    const { state } = settled(universe, [`${A}:${V1}`], { crossplane });
    const self = `ProviderRevision ${state.revisions[0]!.name}`;
    const mrd = isConverted ? [[`ManagedResourceDefinition ${crd}`, self]] : [];
    expect([...state.controllers]).toEqual([...mrd, [`CRD ${crd}`, self]]);
  });

  test('two XRDs of one name are two owners', () => {
    const versions = { [V1]: { xrds: [{ name: 'xdbs.acme.io' }] } };
    const universe = {
      packages: {
        [A]: { kind: 'Configuration', versions },
        [B]: { kind: 'Configuration', versions },
      },
    };
    const end = settled(universe, [`Configuration ${A}:${V1}`, `Configuration ${B}:${V1}`]);
    expect(stepsOf(end).at(-1)).toContain(
      'xdbs.acme.io is already controlled by ConfigurationRevision acme-a-',
    );
  });
});

test('a revision with manual activation is not installed', () => {
  const universe = providers({ [A]: { [V1]: {} } });
  const acts = [{ apply: { ...wanted(`${A}:${V1}`), manual: true } }];
  const end = after(settled(universe, []), acts, universe);
  const [{ installed, healthy }] = packageConditions(end.state, TARGET) as [never];
  expect({ installed, healthy }).toEqual({
    installed: { status: 'False', message: 'Package is inactive' },
    healthy: { status: 'True', message: undefined },
  });
  expect(rowsOf(end)).toEqual([]);
});

test('an existing object is an error in old releases', () => {
  const universe = providers({
    [A]: { [V1]: requiring({ 'ghcr.io/acme/b': '*' }) },
    [B]: { [V1]: {} },
    'ghcr.io/acme/b': { [V1]: {} },
  });
  const end = settled(universe, [`${B}:${V1}`, `${A}:${V1}`], { crossplane: 'v1.17.0' });
  expect(stepsOf(end).at(-1)).toBe(
    'fail b for a * (cannot create dependency package: providers.pkg.crossplane.io "acme-b" already exists)',
  );
  expect(end.state.resolved).toBeUndefined();
});

describe('with upgrades', () => {
  const flags = { upgrades: true, downgrades: false };
  const universe = providers({
    [A]: { [V1]: requiring({ [C]: '<2.0.0' }), [V2]: requiring({ [C]: '>=2.0.0' }) },
    [B]: { [V1]: requiring({ [C]: '>=1.0.0' }) },
    [C]: { [V1]: {}, [V2]: {}, 'v2.1.0': {} },
  });

  test('a dependency moves only as far as its dependents need', () => {
    const running = settled(universe, [`${A}:${V1}`, `${B}:${V1}`], { flags });
    expect(rowsOf(running)).toContain(`${C}@${V1}`);
    const end = settled(universe, [`${A}:${V2}`], { flags, state: running.state });
    expect(stepsOf(end)).toContain(`moved c ${V2} for a >=2.0.0 (${V1})`);
    expect(isHealthy(end.state, TARGET)).toBe(true);
  });

  test('a dependency moves down only if downgrades are allowed', () => {
    const running = settled(universe, [`${A}:${V2}`], { flags });
    expect(rowsOf(running)).toContain(`${C}@v2.1.0`);
    const stuck = settled(universe, [`${A}:${V1}`], { flags, state: running.state });
    expect(stuck.state.resolved?.message).toContain('manual intervention is required');
    const down = { upgrades: true, downgrades: true };
    const end = settled(universe, [`${A}:${V1}`], { flags: down, state: running.state });
    expect(rowsOf(end)).toContain(`${C}@${V1}`);
    expect(isHealthy(end.state, TARGET)).toBe(true);
  });
});
