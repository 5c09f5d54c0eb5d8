import { describe, expect, test } from 'vitest';
import { runWith } from '../../support/known-images.js';
import { EMPTY_CLUSTER, newObject } from '../../../src/crossplane/package-manager/cluster-state.js';
import { reconcileLock } from '../../../src/crossplane/package-manager/reconcile-lock.js';
import type { LockRow } from '../../../src/crossplane/package-manager/dependency-graph.js';
import {
  imageConfigsIn,
  rewrittenImage,
} from '../../../src/crossplane/package-manager/image-config.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { wanted } from '../../support/clusters.js';
import { digestOf, needs } from '../../support/lockfiles.js';

// The test table of Crossplane's resolver (TestReconcile), as far as the model supports it.

const HOST = 'xpkg.example.org/acme';
const DEPENDENCY = `${HOST}/b`;
const D = digestOf('b');
const TAGS = ['v0.2.0', 'v0.3.0', 'v1.0.0', 'v1.2.0'];
const MOVED = ['v0.0.1', 'v1.0.0', 'v1.0.1', 'v2.0.0'];
const UPGRADES = { upgrades: true, downgrades: false };

function row(reference: string, ...dependencies: readonly string[]): LockRow {
  const [source, version] = reference.split(' ') as [string, string];
  return { name: source, kind: 'Provider', source, version, dependencies: dependencies.map(needs) };
}

interface Given {
  readonly rows: readonly LockRow[];
  readonly objects?: readonly string[];
  /** Tags by repository. */
  readonly tags?: Readonly<Record<string, readonly string[]>>;
  readonly rewriteTo?: string;
  readonly upgrades?: boolean;
  readonly crossplane?: string;
}

/** The action of the resolver, the condition of the Lock, and the resulting objects. */
function reconciled(given: Given) {
  const { rows, objects = [], tags = {}, rewriteTo, upgrades, crossplane = 'v2.3.4' } = given;
  const target = targetFor(crossplane)!;
  const configs = imageConfigsIn(
    (rewriteTo === undefined ? [] : [rewriteTo]).map((prefix) => ({
      object: {
        kind: 'ImageConfig',
        metadata: { name: 'mirror' },
        spec: { matchImages: [{ prefix: HOST }], rewriteImage: { prefix } },
      },
      origin: { file: 'x.yaml' },
    })),
  );
  const installed = objects.map((text) => newObject(wanted(text)));
  const state = { ...EMPTY_CLUSTER, rows, objects: installed };
  const flags = upgrades === true ? UPGRADES : { upgrades: false, downgrades: false };
  const end = runWith(reconcileLock(state, target, flags), {
    tags: (repository) => tags[rewrittenImage(repository, configs, target).image],
    image: () => undefined,
  });
  return {
    did: end.step?.did ?? 'nothing',
    problem: end.step?.did === 'fail' ? end.step.message : undefined,
    resolved: end.state.resolved?.status,
    objects: end.state.objects.map(({ kind, name, reference }) => `${kind} ${name} ${reference}`),
  };
}

const A = `${HOST}/a v0.0.1`;
const DONE = { did: 'nothing', problem: undefined, objects: [] };
const FIND = 'cannot find dependency version to install';

test.each([
  { why: 'an empty Lock has no condition', given: { rows: [] }, want: DONE },
  {
    why: 'one source twice',
    given: { rows: [row(A), row(`${HOST}/a v0.0.2`)] },
    want: {
      did: 'fail',
      problem: `cannot build DAG: node ${HOST}/a already exists`,
      resolved: 'False',
      objects: [],
    },
  },
  {
    why: 'a circle',
    given: { rows: [row(A, `${DEPENDENCY} *`), row(`${DEPENDENCY} v1.0.0`, `${HOST}/a *`)] },
    want: {
      did: 'fail',
      problem: `cannot sort DAG: detected cycle on: ${HOST}/a`,
      resolved: 'False',
      objects: [],
    },
  },
  {
    why: 'nothing is missing',
    given: { rows: [row(A, `${DEPENDENCY} *`), row(`${DEPENDENCY} v1.0.0`)] },
    want: { ...DONE, resolved: 'True' },
  },
  {
    why: 'nothing is missing, by digest',
    given: { rows: [row(A, `${DEPENDENCY} ${D}`), row(`${DEPENDENCY} ${D}`)] },
    want: { ...DONE, resolved: 'True' },
  },
  {
    why: 'a dependency without a constraint',
    given: { rows: [row(A, 'not.a.valid.package ')], crossplane: 'v1.20.11' },
    want: {
      did: 'fail',
      problem: `${FIND}: version constraint on dependency is invalid: improper constraint: `,
      resolved: 'False',
      objects: [],
    },
  },
  {
    why: 'a registry that does not list tags',
    given: { rows: [row(A, `${DEPENDENCY} v0.0.1`)] },
    want: {
      did: 'fail',
      problem: expect.stringContaining(`${FIND}: cannot fetch dependency package tags`),
      resolved: 'False',
      objects: [],
    },
  },
  {
    why: 'no version fits',
    given: { rows: [row(A, `${DEPENDENCY} >v2.0.0`)], tags: { [DEPENDENCY]: TAGS } },
    want: {
      did: 'fail',
      problem: expect.stringContaining('does not have a valid version'),
      resolved: 'False',
      objects: [],
    },
  },
  {
    why: 'an object that the API server does not take, for it names no registry',
    given: { rows: [row(A, 'Configuration acme/b >v1.0.0')], tags: { 'acme/b': TAGS } },
    want: {
      did: 'fail',
      problem: expect.stringMatching(/^cannot create dependency package: .* is invalid/),
      resolved: 'False',
      objects: [],
    },
  },
  {
    why: 'the same by digest',
    given: { rows: [row(A, `acme/b ${D}`)] },
    want: {
      did: 'fail',
      problem: expect.stringMatching(/^cannot create dependency package: .* is invalid/),
      resolved: 'False',
      objects: [],
    },
  },
  {
    why: 'a missing dependency is installed, with a name without the registry',
    given: {
      rows: [row(A, `Configuration ${DEPENDENCY} >v1.0.0`)],
      tags: { [DEPENDENCY]: TAGS },
    },
    want: {
      did: 'installed',
      resolved: 'True',
      objects: [`Configuration acme-b ${DEPENDENCY}:v1.2.0`],
    },
  },
  {
    why: 'at the exact tag among tags of the same version',
    given: {
      rows: [row(A, `${DEPENDENCY} v1.0.0`)],
      tags: { [DEPENDENCY]: ['v1.0.0', 'v1', 'v1.0', 'v1.0.1', 'v2.0.0', 'v2'] },
    },
    want: { did: 'installed', resolved: 'True', objects: [`Provider acme-b ${DEPENDENCY}:v1.0.0`] },
  },
  {
    why: 'by digest, with no tag asked for',
    given: { rows: [row(A, `${DEPENDENCY} ${D}`)] },
    want: { did: 'installed', resolved: 'True', objects: [`Provider acme-b ${DEPENDENCY}@${D}`] },
  },
  {
    why: 'only the first missing dependency',
    given: {
      rows: [row(A, `${DEPENDENCY} *`, `${HOST}/c *`)],
      tags: { [DEPENDENCY]: TAGS, [`${HOST}/c`]: TAGS },
    },
    want: { did: 'installed', resolved: 'True', objects: [`Provider acme-b ${DEPENDENCY}:v1.2.0`] },
  },
])('$why', ({ given, want }) => {
  expect(reconciled(given)).toMatchObject(want);
});

describe.each(['v1.20.11', 'v2.3.4'])('%s, with upgrades', (crossplane) => {
  const upgrades = { crossplane, upgrades: true };
  const installed = [`${DEPENDENCY}:v0.0.1`];

  test.each([
    {
      why: 'moves an outdated dependency as little as possible',
      given: {
        rows: [row(A, `${DEPENDENCY} >v1.0.0`), row(`${DEPENDENCY} v0.0.1`)],
        tags: { [DEPENDENCY]: MOVED },
      },
      want: { did: 'moved', objects: [`Provider acme-b ${DEPENDENCY}:v1.0.1`] },
    },
    {
      why: 'moves to the digest that all require',
      given: {
        rows: [
          row(A, `${DEPENDENCY} ${D}`),
          row(`${HOST}/c v1.0.0`, `${DEPENDENCY} ${D}`),
          row(`${DEPENDENCY} v0.0.1`),
        ],
      },
      want: { did: 'moved', objects: [`Provider acme-b ${DEPENDENCY}@${D}`] },
    },
    {
      why: 'keeps a matching version',
      given: { rows: [row(A, `${DEPENDENCY} *`), row(`${DEPENDENCY} v0.0.1`)] },
      want: { did: 'nothing', objects: [`Provider acme-b ${DEPENDENCY}:v0.0.1`] },
    },
    {
      why: 'ignores an outdated row with a duplicate source',
      given: {
        rows: [
          row(A, `${DEPENDENCY} >v1.0.0`),
          row(`${DEPENDENCY} v0.0.1`),
          row(`${DEPENDENCY} v1.0.1`),
        ],
        tags: { [DEPENDENCY]: MOVED },
      },
      want: { did: 'nothing', objects: [`Provider acme-b ${DEPENDENCY}:v0.0.1`] },
    },
  ])('$why', ({ given, want }) => {
    expect(reconciled({ ...given, ...upgrades, objects: installed })).toMatchObject(want);
  });

  test('a rewrite changes where tags are listed, but not the reference', () => {
    const tags = { 'mirror.example.org/m/b': TAGS };
    const rows = [row(A, `${DEPENDENCY} >v1.0.0`)];
    const given = { tags, rewriteTo: 'mirror.example.org/m', ...upgrades };
    const object = `Provider acme-b ${DEPENDENCY}:v1.2.0`;
    expect(reconciled({ ...given, rows, upgrades: false })).toMatchObject({
      did: 'installed',
      objects: [object],
    });
    const outdated = [...rows, row(`${DEPENDENCY} v0.0.1`)];
    expect(reconciled({ ...given, rows: outdated, objects: installed })).toMatchObject({
      did: 'moved',
      objects: [object],
    });
  });
});

test.each([
  { crossplane: 'v1.20.4', did: 'fail' },
  { crossplane: 'v1.20.5', did: 'nothing' },
  { crossplane: 'v2.0.6', did: 'fail' },
  { crossplane: 'v2.0.7', did: 'nothing' },
  { crossplane: 'v2.1.3', did: 'fail' },
  { crossplane: 'v2.1.4', did: 'nothing' },
])('$crossplane: an outdated duplicate of a row: $did', ({ crossplane, did }) => {
  const rows = [
    row(A, `${DEPENDENCY} >v1.0.0`),
    row(`${DEPENDENCY} v0.0.1`),
    row(`${DEPENDENCY} v1.0.1`),
  ];
  expect(reconciled({ rows, crossplane, upgrades: true }).did).toBe(did);
  expect(reconciled({ rows, crossplane }).did).toBe('fail');
});
