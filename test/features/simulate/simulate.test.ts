import { describe, expect, test } from 'vitest';
import { bundleOf } from '../../../src/project/manifests/bundle.js';
import { packageConditions } from '../../../src/crossplane/package-manager/cluster-state.js';
import { InputError } from '../../../src/base/errors.js';
import type { ClusterDump } from '../../../src/crossplane/package-manager/cluster-dump.js';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import type { LocalRoot, PackageRoot, Request } from '../../../src/project/inputs/request.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { OutOfTime, timeBudget, type TimeBudget } from '../../../src/base/time.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import {
  compareWithLockfile,
  endsHealthy,
  simulate,
  type SimulatedInput,
  type SimulateOptions,
} from '../../../src/features/simulate/simulate.js';
import { rowsOf, stepsOf } from '../../support/clusters.js';
import { requestFor } from '../../support/requests.js';
import { solved } from '../../support/solved.js';
import { providers, requiring, type Versions } from '../../support/universes.js';
import { digestOf } from '../../support/lockfiles.js';

const HOST = 'xpkg.example.org/acme';
const [A, B, C] = ['a', 'b', 'c'].map((name) => `${HOST}/${name}`) as [string, string, string];
const V1 = 'v1.0.0';
const TARGET = targetFor('v2.3.4')!;

/** Returns a source in which every version has a digest, as in a registry. */
function published(packages: Readonly<Record<string, Versions>>): IndexFile {
  const digested = Object.entries(packages).map(([repository, versions]) => {
    const entries = Object.entries(versions).map(([version, entry]) => {
      return [version, { digest: digestOf(`${repository}:${version}`), ...entry }] as const;
    });
    return [repository, Object.fromEntries(entries)] as const;
  });
  return providers(Object.fromEntries(digested));
}

const universe = published({
  [A]: { [V1]: requiring({ [C]: '>=1.0.0' }), 'v2.0.0-rc.1': {}, v3: {} },
  [B]: { [V1]: requiring({ [C]: '<2.0.0' }) },
  [C]: { 'v1.5.0': {}, 'v2.0.0': {} },
});

function simulated(applied: SimulatedInput, more: Partial<SimulateOptions> = {}) {
  return simulate(applied, {
    source: memorySource(universe),
    target: TARGET,
    flags: { upgrades: false, downgrades: false },
    orders: 0,
    seed: 1,
    ...more,
  });
}

const EMPTY_DUMP: ClusterDump = {
  packages: [],
  revisions: [],
  lock: undefined,
  extraManifests: [],
  activations: [],
  crossplane: undefined,
  claims: new Map(),
  ignored: new Map(),
};

const roots = (request: Request): SimulatedInput => ({ roots: request, locked: undefined });

describe('a root', () => {
  test.each([
    { why: 'is installed at the newest version in its range', text: '>=v1.0.0', enters: V1 },
    { why: 'is installed at its tag', text: 'v2.0.0-rc.1', enters: 'v2.0.0-rc.1' },
    { why: 'may have a tag that is no version', text: 'v3', enters: 'v3', on: 'v1.20.11' },
  ])('$why', async ({ text, enters, on = 'v2.3.4' }) => {
    const { settled } = await simulated(roots(requestFor({ [A]: text })), {
      target: targetFor(on)!,
    });
    expect(stepsOf(settled)[0]).toBe(`applied a ${enters}`);
  });

  test('is installed at a prerelease if prereleases are allowed', async () => {
    const request = requestFor({ [A]: '>=v1.0.0' }, { prereleases: [A] });
    const { settled } = await simulated(roots(request));
    expect(rowsOf(settled)).toEqual([`${A}@v2.0.0-rc.1`]);
  });

  test('is rejected if no version fits', async () => {
    const applied = simulated(roots(requestFor({ [A]: '>=v9.0.0' })));
    await expect(applied).rejects.toThrow(InputError);
    await expect(simulated(roots(requestFor({ [`${HOST}/none`]: '*' })))).rejects.toThrow(
      'no source knows the repository',
    );
  });

  test('under development is used without being published', async () => {
    const local: LocalRoot = {
      root: 'local',
      kind: 'Configuration',
      name: 'mine',
      crossplane: '>=v1.0.0',
      dependsOn: [{ entry: { provider: B, version: '*' }, origin: { file: 'crossplane.yaml' } }],
      objects: [],
      origin: { file: 'crossplane.yaml' },
    };
    const { settled, notes } = await simulated(roots(requestFor({}, { roots: [local] })));
    expect(rowsOf(settled)).toEqual(['xpkg.local/mine@0.0.0', `${B}@${V1}`, `${C}@v1.5.0`]);
    expect(notes).toEqual(['`mine`, which is not published, stands as xpkg.local/mine:0.0.0']);
  });

  test('with a CRD is left out of the simulation, unless its owner is locked', async () => {
    const crds = published({ [B]: { [V1]: { crds: ['buckets.example.org'] } } });
    const crd = {
      root: 'crd',
      demand: { crd: 'buckets.example.org' },
      origin: { file: 'xpkg.yaml' },
    } as const;
    const request = requestFor({}, { roots: [crd] });
    const source = memorySource(crds);
    const { lockfile } = await solved(crds, request);
    const owner = await simulated({ roots: request, locked: lockfile }, { source });
    expect(rowsOf(owner.settled)).toEqual([`${B}@${V1}`]);
    const unowned = published({ [A]: { [V1]: {} } });
    const beside = requestFor({ [A]: '*' });
    const mixed = { ...beside, roots: [crd, ...beside.roots] };
    const without = { source: memorySource(unowned) };
    const { notes, settled } = await simulated(roots(mixed), without);
    expect([notes, rowsOf(settled)]).toEqual([
      [
        '`crd: buckets.example.org` is left out: no cluster takes it; with --locked, its owner enters',
      ],
      [`${A}@${V1}`],
    ]);
    const other = (await solved(unowned, beside)).lockfile;
    const locked = await simulated({ roots: mixed, locked: other }, without);
    expect(locked.notes).toEqual([
      '`crd: buckets.example.org` is left out: no cluster takes it, and no locked package owns it',
    ]);
  });

  test('with a CRD is an error if it is the only root', async () => {
    const origin = { file: 'xpkg.yaml', line: 5 };
    const crd = { root: 'crd', demand: { crd: 'buckets.example.org' }, origin } as const;
    const alone = requestFor({}, { roots: [crd] });
    const refused = simulated(roots(alone));
    await expect(refused).rejects.toThrow(InputError);
    await expect(refused).rejects.toMatchObject({
      message: expect.stringContaining('xpkg.yaml:5: nothing to apply: every root asks for a CRD'),
      hint: expect.stringContaining('`--all`'),
    });
    const { lockfile } = await solved(universe, requestFor({ [A]: '*' }));
    await expect(simulated({ roots: alone, locked: lockfile })).rejects.toThrow(
      'no locked package owns one of them',
    );
    const none = await simulated(roots(requestFor({})));
    expect(none.settled.steps).toEqual([]);
  });

  test.each([
    { why: 'the repository has other versions', repository: A },
    { why: 'no source knows the repository', repository: `${HOST}/none` },
  ])('with a missing exact version is stuck, as its object would be: $why', async (given) => {
    const request = requestFor({ [given.repository]: 'v77.0.0' });
    const [root] = request.roots as [PackageRoot];
    const kind = 'Provider';
    const object = { ...root, kind, version: { form: 'tag', tag: 'v77.0.0' } } as const;
    const tagged = await simulated(roots({ ...request, roots: [object] }));
    const exact = await simulated(roots({ ...request, roots: [{ ...root, kind }] }));
    expect(exact).toEqual(tagged);
    expect(stepsOf(exact.settled)[0]).toContain('v77.0.0');
    expect(endsHealthy(exact.settled, TARGET)).toBe(false);
  });

  test('with a missing exact version and without a kind is rejected', async () => {
    const request = requestFor({ [A]: 'v77.0.0' });
    await expect(simulated(roots(request))).rejects.toThrow('none that is published fits');
  });

  test('with an exact version may be published with another spelling', async () => {
    const source = memorySource(published({ [A]: { '1.0.0': {} } }));
    const { settled } = await simulated(roots(requestFor({ [A]: V1 })), { source });
    expect(rowsOf(settled)).toEqual([`${A}@1.0.0`]);
  });
});

describe('a solved request', () => {
  const request = requestFor({ [A]: '*', [B]: '*' });

  test('applied by its roots lets the cluster choose the other versions', async () => {
    const { lockfile } = await solved(universe, request);
    const { settled, otherEnds } = await simulated(
      { roots: request, locked: lockfile },
      { orders: 20 },
    );
    expect(endsHealthy(settled, TARGET)).toBe(false);
    expect(otherEnds.map((other) => endsHealthy(other.settled, TARGET))).toEqual([true]);
    expect(compareWithLockfile(settled, lockfile, TARGET)).toEqual([
      { repository: C, locked: 'v1.5.0', installed: 'v2.0.0' },
    ]);
  });

  test('ends as locked if all of it is applied, in every order', async () => {
    const { lockfile } = await solved(universe, request);
    const { settled, otherEnds } = await simulated({ all: lockfile, prune: false }, { orders: 20 });
    expect(compareWithLockfile(settled, lockfile, TARGET)).toEqual([]);
    expect([endsHealthy(settled, TARGET), otherEnds]).toEqual([true, []]);
  });

  test('gives the same result for the same seed', async () => {
    const once = await simulated(roots(request), { orders: 10, seed: 7 });
    expect(await simulated(roots(request), { orders: 10, seed: 7 })).toEqual(once);
  });

  test('is added to earlier manifests, which pruning removes', async () => {
    const before = { lockfile: (await solved(universe, request)).lockfile };
    const after = (await solved(universe, requestFor({ [A]: '*' }))).lockfile;
    const kept = await simulated({ all: after, prune: false }, { before });
    expect(rowsOf(kept.settled).toSorted()).toEqual([`${A}@${V1}`, `${B}@${V1}`, `${C}@v2.0.0`]);
    expect(endsHealthy(kept.settled, TARGET)).toBe(false);
    const pruned = await simulated({ all: after, prune: true }, { before });
    expect(rowsOf(pruned.settled).toSorted()).toEqual([`${A}@${V1}`, `${C}@v2.0.0`]);
    expect(endsHealthy(pruned.settled, TARGET)).toBe(true);
  });

  test('has notes on rules that only the solver applies', async () => {
    const rule = { repository: C, version: 'v1.5.0', origin: { file: 'xpkg.yaml' } };
    const ruled = requestFor({ [A]: '*' }, { overrides: [rule], exclude: [rule] });
    const { notes } = await simulated(roots(ruled));
    expect(notes).toEqual(['overrides, exclude of the request: a cluster knows of none']);
  });
});

describe('pinned versions', () => {
  const set = requestFor({ [A]: '*', [B]: '*' });

  test('end as locked although their tags were moved', async () => {
    const all = (await solved(universe, set)).lockfile;
    const moved = published({
      [A]: { [V1]: requiring({ [C]: '>=9.0.0' }) },
      [B]: { [V1]: requiring({ [C]: '<2.0.0' }) },
      [C]: { 'v1.5.0': {} },
    });
    const [kept] = Object.values(moved.packages[A]!.versions);
    const a = {
      ...moved.packages[A]!,
      versions: {
        [V1]: { ...kept, digest: digestOf('moved') },
        [digestOf(`${A}:${V1}`)]: universe.packages[A]!.versions[V1]!,
      },
    };
    const source = memorySource({ packages: { ...moved.packages, [A]: a } });
    const ends = async (pin: 'tag' | 'locked') => {
      const { settled } = await simulated({ all, pin, prune: false }, { source });
      return endsHealthy(settled, TARGET);
    };
    expect([await ends('tag'), await ends('locked')]).toEqual([false, true]);
  });

  test.each([
    { why: 'nothing removes pins', prune: false, pins: 3 },
    { why: 'pruning removes manifests that are no longer rendered', prune: true, pins: 0 },
  ])('of earlier manifests remain unless they are pruned: $why', async ({ prune, pins }) => {
    const { lockfile } = await solved(universe, set);
    const applied = { all: lockfile, prune } as const;
    const onto = await simulated(applied, { before: { lockfile, pin: 'locked' } });
    expect(onto.settled.state.pins).toHaveLength(pins);
    const extraManifests = bundleOf(lockfile, TARGET, 'locked')
      .objects.filter(({ kind }) => kind === 'ImageConfig')
      .map((object) => ({ object, origin: { file: 'dump.yaml' } }));
    const dumped = await simulated(applied, {
      before: { dump: { ...EMPTY_DUMP, extraManifests } },
    });
    expect(dumped.settled.state.pins).toHaveLength(pins);
  });

  test('with upgrades, a resolver that treats the digest as the version fails', async () => {
    const before = (await solved(universe, requestFor({ [A]: '*' }))).lockfile;
    const request = requestFor({ [B]: '*' });
    const onto = async (crossplane: string) => {
      const target = targetFor(crossplane)!;
      const { objects } = bundleOf(before, target, 'locked');
      const kept = objects
        .filter(({ kind }) => kind === 'ImageConfig')
        .map((object) => ({ object, origin: { file: 'x.yaml' } }));
      const flags = { upgrades: true, downgrades: true };
      const options = { target, flags, before: { lockfile: before } };
      const { settled } = await simulated(roots({ ...request, kept }), options);
      return stepsOf(settled).at(-1);
    };
    expect(await onto('v2.0.2')).toBe('moved c v1.5.0 for b <2.0.0 (v2.0.0)');
    expect(await onto('v2.0.3')).toContain('panic: sha256:');
  });

  const own = (to: string) => ({
    kind: 'ImageConfig',
    metadata: { name: 'own' },
    spec: { matchImages: [{ prefix: `${B}:v1.0.0-rc.1` }], rewriteImage: { prefix: to } },
  });

  test.each([
    { why: 'a longer tag has no image', more: [], longerTags: undefined, stuck: true },
    { why: 'unless it is an exception', more: [], longerTags: ['v1.0.0-'], stuck: false },
    {
      why: 'or an ImageConfig of the user rewrites it to itself',
      more: [own(`${B}:v1.0.0-rc.1`)],
      longerTags: undefined,
      stuck: false,
    },
    {
      why: 'or to a mirror, from which sources read it',
      more: [own('mirror.example.org/b:v1.0.0-rc.1')],
      longerTags: undefined,
      stuck: false,
    },
  ])('$why', async ({ more, longerTags, stuck }) => {
    const { lockfile } = await solved(universe, requestFor({ [B]: '*' }));
    const packages = lockfile.packages.map((each) =>
      each.repository === B ? { ...each, longerTags } : each,
    );
    const { objects } = bundleOf({ ...lockfile, packages }, TARGET, 'locked');
    const kept = [...objects.filter(({ kind }) => kind === 'ImageConfig'), ...more].map(
      (object) => ({ object, origin: { file: 'x.yaml' } }),
    );
    const request = requestFor({ [B]: 'v1.0.0-rc.1' }, { kept });
    const source = memorySource(published({ [B]: { 'v1.0.0-rc.1': {} } }));
    const { settled } = await simulated(roots(request), { source });
    const [condition] = packageConditions(settled.state, TARGET);
    const problem = 'could not parse reference';
    expect(condition!.installed.message?.includes(problem) === true).toBe(stuck);
    expect(endsHealthy(settled, TARGET)).toBe(!stuck);
  });
});

test('rejects flags that a release does not have', async () => {
  const flags = { upgrades: true, downgrades: false };
  const target = targetFor('v1.17.0')!;
  const applied = roots(requestFor({ [A]: '*' }));
  await expect(simulated(applied, { flags, target })).rejects.toThrow('--upgrades');
  const both = { upgrades: true, downgrades: true };
  const later = targetFor('v1.18.0')!;
  await expect(simulated(applied, { flags: both, target: later })).rejects.toThrow('--downgrades');
});

test('continues a dumped cluster from its state', async () => {
  const { name } = (await simulated(roots(requestFor({ [B]: '*' })))).settled.state.revisions[0]!;
  const origin = { file: 'dump.yaml' };
  const dump = {
    ...EMPTY_DUMP,
    packages: [
      {
        kind: 'Provider',
        apiVersion: 'pkg.crossplane.io/v1',
        name: 'acme-b',
        reference: `${B}:${V1}`,
        metadata: {},
        spec: {},
        isUserCreated: true,
        isPaused: false,
        isBeingDeleted: false,
        currentRevision: name,
        conditions: [],
        origin,
      },
    ],
    revisions: [
      {
        kind: 'Provider',
        name,
        packageName: 'acme-b',
        image: `${B}:${V1}`,
        isActive: true,
        number: 1,
        conditions: [{ type: 'Healthy', status: 'False', reason: '', message: 'was so' }],
        objects: [],
        origin,
      },
    ],
    lock: {
      rows: [
        {
          name: 'stale-0123456789ab',
          kind: 'Provider',
          hasType: false,
          source: B,
          version: 'v0.9.0',
          dependencies: [],
          origin,
        },
      ],
      conditions: [],
      origin,
    },
  } as const;
  const { settled } = await simulated(roots(requestFor({})), { before: { dump } });
  expect(packageConditions(settled.state, TARGET)[0]!.healthy.message).toContain(
    `node ${B} already exists`,
  );
});

/** A time limit that is reached after this number of checks. */
function limitAfterChecks(looks: number): TimeBudget {
  let left = looks;
  return { ...timeBudget(60), isUp: () => left-- <= 0 };
}

describe('a time limit', () => {
  const set = requestFor({ [A]: '*', [B]: '*' });

  test.each([
    { why: 'ends the first order', looks: 3, message: 'for the cluster to come to rest' },
    { why: 'ends the other orders', looks: 100, message: / for order \d+ of 20000 to come/ },
  ])('$why', async ({ looks, message }) => {
    const late = simulated(roots(set), { orders: 20_000, timeout: limitAfterChecks(looks) });
    await expect(late).rejects.toThrow(OutOfTime);
    await expect(late).rejects.toThrow(message);
  });

  test('ends the simulation of the initial state', async () => {
    const { lockfile } = await solved(universe, set);
    const late = simulated(roots(set), { before: { lockfile }, timeout: limitAfterChecks(3) });
    await expect(late).rejects.toThrow('for the cluster from before to come to rest');
  });
});
