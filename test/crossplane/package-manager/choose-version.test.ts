import { expect, test } from 'vitest';
import {
  versionToInstall,
  versionToMoveTo,
} from '../../../src/crossplane/package-manager/reconcile-lock.js';
import { runWith, type KnownImages } from '../../support/known-images.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { digestOf } from '../../support/lockfiles.js';

const REPOSITORY = 'xpkg.example.org/acme/p';
const [D1, D2] = [digestOf('one'), digestOf('two')];

function registryWith(tags: readonly string[] | undefined): KnownImages {
  return { tags: () => tags, image: () => undefined };
}

const noVersion = (constraints: string) =>
  `dependency (${REPOSITORY}) does not have a valid version to upgrade that satisfies all constraints. If there is a valid version that requires downgrade, manual intervention is required. Constraints: ${constraints}`;
const NOT_INSTALLED = 'cannot find dependency version to install';
const NOT_MOVED = 'cannot find dependency version to upgrade';

test.each([
  {
    why: 'the newest that fits',
    constraint: '>=v1.0.0',
    tags: ['v0.2.0', 'v0.3.0', 'v1.0.0', 'v1.2.0'],
    want: { version: 'v1.2.0' },
  },
  {
    why: 'incomplete tags are ignored',
    constraint: '>=v1.0.0',
    tags: ['v1', 'v1.2', 'latest', 'v1.0.0', 'v01.3.0'],
    want: { version: 'v1.0.0' },
  },
  {
    why: 'earlier releases accepted them',
    constraint: '>=v0.5.0',
    tags: ['v1', 'v0.9.0'],
    crossplane: 'v1.20.11',
    want: { version: 'v1' },
  },
  { why: 'a digest is taken as it is', constraint: D1, tags: undefined, want: { version: D1 } },
  {
    why: 'no digests yet',
    constraint: D1,
    tags: ['v1.0.0'],
    crossplane: 'v1.17.0',
    want: {
      problem: `${NOT_INSTALLED}: version constraint on dependency is invalid: improper constraint: ${D1}`,
    },
  },
  {
    why: 'a tag is no constraint',
    constraint: 'latest',
    tags: ['latest'],
    want: {
      problem: `${NOT_INSTALLED}: version constraint on dependency is invalid: improper constraint: latest`,
    },
  },
  {
    why: 'no repository',
    constraint: '*',
    tags: undefined,
    want: {
      problem: `${NOT_INSTALLED}: cannot fetch dependency package tags: NAME_UNKNOWN: repository name not known to registry`,
    },
  },
  {
    why: 'no version matches',
    constraint: '>v1.0.0',
    tags: ['v0.2.0', 'v0.3.0', 'v1.0.0'],
    want: { problem: noVersion('>v1.0.0') },
  },
  {
    why: 'no version matches, in old messages',
    constraint: '>v1.0.0',
    tags: ['v1.0.0'],
    crossplane: 'v1.17.0',
    want: { problem: `dependency (${REPOSITORY}) does not have version in constraints (>v1.0.0)` },
  },
  {
    why: 'two dialects',
    constraint: '^0.2.3',
    tags: ['0.2.9', '0.9.0'],
    crossplane: 'v2.2.4',
    want: { version: '0.9.0' },
  },
  {
    why: 'two dialects, the newer',
    constraint: '^0.2.3',
    tags: ['0.2.9', '0.9.0'],
    want: { version: '0.2.9' },
  },
])('to install: $why', ({ constraint, tags, crossplane = 'v2.3.4', want }) => {
  const work = versionToInstall(REPOSITORY, constraint, targetFor(crossplane)!);
  expect(runWith(work, registryWith(tags))).toEqual(want);
});

test.each([
  { why: 'one digest', from: 'v0.0.1', constraints: [D1, D1], tags: [], want: { version: D1 } },
  {
    why: 'two digests',
    from: 'v0.0.1',
    constraints: [D1, D2],
    tags: [],
    want: {
      problem: `${NOT_MOVED}: a dependency package has different digests in parent constraints ([${D1} ${D2}])`,
    },
  },
  {
    why: 'a digest and a range',
    from: 'v0.0.1',
    constraints: [D1, 'v0.0.1'],
    tags: [],
    want: {
      problem: `${NOT_MOVED}: a dependency package has different types of parent constraints ([${D1} v0.0.1])`,
    },
  },
  {
    why: 'a version that all constraints admit',
    from: 'v1.0.0',
    constraints: ['>=v1.0.0', 'v2.0.0'],
    tags: ['v1.0.0', 'v1.0.1', 'v2.0.0', 'v3.0.0'],
    want: { version: 'v2.0.0' },
  },
  {
    why: 'no version that all constraints admit',
    from: 'v1.0.0',
    constraints: ['>=v1.0.0', 'v2.0.0'],
    tags: ['v1.0.0', 'v1.0.1'],
    want: { problem: `${NOT_MOVED}: ${noVersion('[>=v1.0.0 v2.0.0]')}` },
  },
  {
    why: 'only down, and that is not allowed',
    from: 'v1.0.0',
    constraints: ['<=v1.0.0', 'v0.0.1'],
    tags: ['v0.0.1', 'v1.0.0'],
    want: { problem: `${NOT_MOVED}: ${noVersion('[<=v1.0.0 v0.0.1]')}` },
  },
  {
    why: 'the lowest higher version',
    from: 'v2.0.0',
    constraints: ['>v2.0.0', '<=v3.0.0'],
    tags: ['v1.0.0', 'v2.0.0', 'v2.1.0', 'v3.0.0'],
    downgrades: true,
    want: { version: 'v2.1.0' },
  },
  {
    why: 'the highest lower version',
    from: 'v3.0.0',
    constraints: ['>=v0.0.1', '<v3.0.0'],
    tags: ['v0.0.1', 'v1.0.0', 'v2.0.0', 'v3.0.0'],
    downgrades: true,
    want: { version: 'v2.0.0' },
  },
  {
    why: 'incomplete tags count here',
    from: 'v1.0.0',
    constraints: ['>=v1.1.0'],
    tags: ['v2', 'v3.0.0'],
    want: { version: 'v2' },
  },
  {
    why: 'installed by digest, which is no version to start from',
    from: D1,
    constraints: ['>=v1.0.0'],
    tags: ['v1.0.0'],
    want: { problem: `panic: ${D1} is no semantic version` },
  },
])('to move to: $why', ({ from, constraints, tags, downgrades = false, want }) => {
  const moving = { from, constraints, downgrades };
  const work = versionToMoveTo(REPOSITORY, moving, targetFor('v2.3.4')!);
  expect(runWith(work, registryWith(tags))).toEqual(want);
});
