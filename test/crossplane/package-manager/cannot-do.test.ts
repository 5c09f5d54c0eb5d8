import { describe, expect, test } from 'vitest';
import {
  isHealthy,
  packageConditions,
} from '../../../src/crossplane/package-manager/cluster-state.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { rowsOf, settled, stepsOf } from '../../support/clusters.js';
import { digestOf } from '../../support/lockfiles.js';
import { providers, requiring } from '../../support/universes.js';

// Cases with a valid solution that the resolver of a cluster does not find.

const HOST = 'xpkg.example.org/acme';
const [A, B, C, ROOT] = ['a', 'b', 'c', 'root'].map((name) => `${HOST}/${name}`) as [
  string,
  string,
  string,
  string,
];
const V1 = 'v1.0.0';

/** The reported health of each package, by name; undefined if healthy. */
function health(end: ReturnType<typeof settled>, crossplane = 'v2.3.4') {
  const conditions = packageConditions(end.state, targetFor(crossplane)!);
  return Object.fromEntries(conditions.map(({ name, healthy }) => [name, healthy.message]));
}

const revision = (message: string, status = 'False') =>
  `Package revision health is "${status}" with message: ${message}`;
const UNRESOLVED = 'cannot resolve package dependencies';

describe('constraints of dependents are not combined', () => {
  const universe = providers({
    [A]: { [V1]: requiring({ [C]: '>=1.0.0' }) },
    [B]: { [V1]: requiring({ [C]: '<2.0.0' }) },
    [C]: { 'v1.5.0': {}, 'v2.0.0': {} },
  });

  test('the first dependent in the Lock decides, and the second stays unhealthy', () => {
    const end = settled(universe, [`${A}:${V1}`, `${B}:${V1}`]);
    const stuck = `${UNRESOLVED}: incompatible dependencies: existing package ${C}@v2.0.0 is incompatible with constraint <2.0.0`;
    expect(stepsOf(end)).toEqual([
      `applied a ${V1}`,
      `applied b ${V1}`,
      'installed c v2.0.0 for a >=1.0.0',
      `fail b ${V1} (${stuck})`,
    ]);
    expect(rowsOf(end)).toEqual([`${A}@${V1}`, `${B}@${V1}`, `${C}@v2.0.0`]);
    expect(health(end)).toEqual({
      'acme-a': undefined,
      'acme-b': revision(stuck),
      'acme-c': undefined,
    });
    expect(end.state.resolved).toEqual({ status: 'True', message: undefined });
  });

  test('all are healthy in the other order', () => {
    const end = settled(universe, [`${B}:${V1}`, `${A}:${V1}`]);
    expect(rowsOf(end)).toContain(`${C}@v1.5.0`);
    expect(isHealthy(end.state, targetFor('v2.3.4')!)).toBe(true);
  });

  test('releases before v2 report the unhealthy dependent as unknown', () => {
    const end = settled(universe, [`${A}:${V1}`, `${B}:${V1}`], { crossplane: 'v1.20.11' });
    const [, b] = packageConditions(end.state, targetFor('v1.20.11')!);
    expect(b!.healthy.status).toBe('Unknown');
    expect(b!.healthy.message).toContain('incompatible dependencies: existing package');
  });
});

test('a selected version is never changed', () => {
  const universe = providers({
    [ROOT]: { [V1]: requiring({ [A]: '>=1.0.0', [B]: '^1.0.0' }) },
    [A]: {
      'v1.0.0': requiring({ [B]: '^1.0.0' }),
      'v2.0.0': requiring({ [B]: '^2.0.0' }),
    },
    [B]: { 'v1.3.0': {}, 'v2.1.0': {} },
  });
  const end = settled(universe, [`${ROOT}:${V1}`]);
  expect(rowsOf(end)).toEqual([`${ROOT}@${V1}`, `${A}@v2.0.0`, `${B}@v1.3.0`]);
  expect(health(end)['acme-a']).toContain(`${B}@v1.3.0 is incompatible with constraint ^2.0.0`);
  const upgrading = { flags: { upgrades: true, downgrades: true } };
  expect(
    isHealthy(settled(universe, [`${ROOT}:${V1}`], upgrading).state, targetFor('v2.3.4')!),
  ).toBe(false);
});

test('the Crossplane constraint of a version is read only after installation', () => {
  const universe = providers({
    [ROOT]: { [V1]: requiring({ [A]: '>=1.0.0' }) },
    [A]: { 'v1.9.0': { crossplane: '>=v1.14.0' }, 'v2.0.0': { crossplane: '>=v2.0.0' } },
  });
  const end = settled(universe, [`${ROOT}:${V1}`], { crossplane: 'v1.20.0' });
  expect(health(end, 'v1.20.0')).toEqual({
    'acme-root': `${UNRESOLVED}: missing dependencies: "${A}" (>=1.0.0)`,
    'acme-a':
      'incompatible Crossplane version: package is not compatible with Crossplane version (v1.20.0)',
  });
  expect(rowsOf(end)).toEqual([`${ROOT}@${V1}`]);
});

test('a dependency that cannot be installed blocks all later ones', () => {
  const universe = providers({
    [ROOT]: { [V1]: requiring({ [A]: '>=9.0.0', [B]: '*' }) },
    [A]: { [V1]: {} },
    [B]: { [V1]: {} },
  });
  const end = settled(universe, [`${ROOT}:${V1}`]);
  expect(rowsOf(end)).toEqual([`${ROOT}@${V1}`]);
  expect(end.state.resolved).toEqual({
    status: 'False',
    message:
      `Error occurred during dependency resolution dependency (${A}) does not have a valid version ` +
      'to upgrade that satisfies all constraints. If there is a valid version that requires ' +
      'downgrade, manual intervention is required. Constraints: >=9.0.0',
  });
});

test('a range and a digest of one package cannot both be satisfied', () => {
  const digest = digestOf('f');
  const universe = providers({
    [A]: { [V1]: requiring({ [C]: digest }) },
    [B]: { [V1]: requiring({ [C]: '>=1.0.0' }) },
    [C]: { 'v1.3.0': { digest } },
  });
  const first = settled(universe, [`${A}:${V1}`, `${B}:${V1}`]);
  expect(rowsOf(first)).toContain(`${C}@${digest}`);
  expect(health(first)['acme-b']).toBe(revision(`${UNRESOLVED}: invalid semantic version`));
  const second = settled(universe, [`${B}:${V1}`, `${A}:${V1}`]);
  expect(health(second)['acme-a']).toBe(
    revision(
      `${UNRESOLVED}: existing package ${C}@v1.3.0 is incompatible with constraint ${digest}`,
    ),
  );
});

test.each([
  {
    why: 'two spellings of one repository are two packages with one name',
    one: 'docker.io/x/p',
    other: 'index.docker.io/x/p',
  },
  {
    why: 'one path in two registries, too',
    one: 'xpkg.io/x/p',
    other: 'ghcr.io/x/p',
  },
])('$why', ({ one, other }) => {
  const universe = providers({
    [A]: { [V1]: requiring({ [one]: '*' }) },
    [B]: { [V1]: requiring({ [other]: '*' }) },
    [one]: { [V1]: {} },
    [other]: { [V1]: {} },
  });
  const end = settled(universe, [`${A}:${V1}`, `${B}:${V1}`]);
  expect(stepsOf(end).at(-1)).toBe(`found another p ${V1} for b * (Provider x-p is ${one}:${V1})`);
  expect(end.state.resolved?.status).toBe('True');
  expect(health(end)['acme-b']).toBe(
    revision(`${UNRESOLVED}: missing dependencies: "${other}" (*)`),
  );
});

test('a version that the user installed stays, even if it does not match', () => {
  const universe = providers({
    [A]: { [V1]: requiring({ [B]: '>=1.1.0' }) },
    [B]: { [V1]: {}, 'v1.1.0': {}, 'v1.2.0': {} },
  });
  const objects = [`${B}:${V1} as mine`, `${A}:${V1}`];
  const end = settled(universe, objects);
  expect(rowsOf(end)).toEqual([`${B}@${V1}`, `${A}@${V1}`]);
  expect(health(end)['acme-a']).toContain('is incompatible with constraint >=1.1.0');
  const upgraded = settled(universe, objects, { flags: { upgrades: true, downgrades: false } });
  expect(stepsOf(upgraded)).toContain(`moved b v1.1.0 for a >=1.1.0 (${V1})`);
  expect(isHealthy(upgraded.state, targetFor('v2.3.4')!)).toBe(true);
});

test('the key of an entry decides the kind of the object, whatever the package is', () => {
  const universe = {
    packages: {
      ...providers({ [A]: { [V1]: requiring({ [B]: '*' }) } }).packages,
      [B]: { kind: 'Function', versions: { [V1]: {} } },
    },
  };
  const end = settled(universe, [`${A}:${V1}`]);
  expect(health(end)['acme-b']).toBe(
    revision('validating package contents failed: package meta type is not Provider'),
  );
  const before = settled(universe, [`${A}:${V1}`], { crossplane: 'v2.1.0' });
  expect(health(before, 'v2.1.0')['acme-b']).toBe(
    revision('linting package contents failed: package meta type is not Provider'),
  );
});

test('a range without a prerelease does not select prereleases', () => {
  const universe = providers({
    [A]: { [V1]: requiring({ [B]: '>=v0.0.0' }) },
    [B]: { 'v0.1.0-rc.1': {} },
  });
  expect(rowsOf(settled(universe, [`${A}:${V1}`]))).toEqual([`${A}@${V1}`]);
});

test('a package that skips dependency resolution is missing for its dependents', () => {
  const universe = providers({
    [A]: { [V1]: requiring({ [B]: '*' }) },
    [B]: { [V1]: {} },
  });
  const end = settled(universe, [`${B}:${V1} as mine skipping`, `${A}:${V1}`]);
  expect(stepsOf(end)).toContain(`installed b ${V1} for a *`);
  expect(rowsOf(end)).toEqual([`${A}@${V1}`, `${B}@${V1}`]);
});

test('owners of objects are not considered', () => {
  const crds = ['buckets.example.org'];
  const universe = providers({
    [ROOT]: { [V1]: requiring({ [A]: '*', [B]: '*' }) },
    [A]: { [V1]: { crds } },
    [B]: { [V1]: { crds } },
  });
  const end = settled(universe, [`${ROOT}:${V1}`]);
  const { name } = end.state.revisions.find(({ of }) => of === 'acme-a')!;
  expect(health(end)['acme-b']).toBe(
    revision(
      `cannot establish control of object: buckets.example.org is already controlled by ProviderRevision ${name} (UID …)`,
    ),
  );
});

test('a cycle stops the resolver for every package', () => {
  const universe = providers({
    [A]: { [V1]: requiring({ [B]: '*' }) },
    [B]: { [V1]: requiring({ [A]: '*' }) },
    [C]: { [V1]: requiring({ [ROOT]: '*' }) },
    [ROOT]: { [V1]: {} },
  });
  const end = settled(universe, [`${A}:${V1}`, `${B}:${V1}`, `${C}:${V1}`]);
  expect(end.state.resolved?.message).toContain('cannot sort DAG: detected cycle on: ');
  expect(health(end)).toEqual({
    'acme-a': undefined,
    'acme-b': undefined,
    'acme-c': revision(`${UNRESOLVED}: missing dependencies: "${ROOT}" (*)`),
  });
});

test('a dependency without a registry is requested from Docker Hub, and refused by the API server', () => {
  const universe = providers({
    [A]: { [V1]: requiring({ 'upbound/provider-aws': '*' }) },
    'upbound/provider-aws': { [V1]: {} },
  });
  const end = settled(universe, [`${A}:${V1}`]);
  expect(end.state.resolved?.message).toContain(
    'cannot create dependency package: Provider.pkg.crossplane.io "upbound-provider-aws" is invalid',
  );
  const before = settled(universe, [`${A}:${V1}`], { crossplane: 'v1.20.0' });
  expect(rowsOf(before)).toEqual([`${A}@${V1}`, `upbound/provider-aws@${V1}`]);
});

test('two objects of one repository stop the resolver for every package', () => {
  const universe = providers({ [A]: { [V1]: {}, 'v1.1.0': {} }, [B]: { [V1]: {} } });
  const end = settled(universe, [`${A}:${V1} as one`, `${A}:v1.1.0 as two`, `${B}:${V1}`]);
  expect(end.state.resolved?.message).toBe(
    `Error occurred during dependency resolution cannot build DAG: node ${A} already exists`,
  );
  expect(health(end)['acme-b']).toContain(`node ${A} already exists`);
});
