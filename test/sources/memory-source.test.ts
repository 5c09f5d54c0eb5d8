import { describe, expect, test } from 'vitest';
import type { IndexFile } from '../../src/sources/index/index-file.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { memorySource } from '../../src/sources/memory-source.js';

const D1 = `sha256:${'1'.repeat(64)}`;
const D2 = `sha256:${'2'.repeat(64)}`;
const target = targetFor('v2.3.4')!;

const universe: IndexFile = {
  packages: {
    'xpkg.io/a/db': {
      kind: 'Configuration',
      versions: {
        'v1.0.0': {
          crossplane: '>=v1.0.0',
          xrds: [{ name: 'xdbs.acme.io', claim: 'dbs.acme.io' }],
        },
        'v1.1.0': {
          digest: D1,
          dependsOn: [{ provider: 'xpkg.io/a/p', version: '>=v1.0.0' }],
          compositions: ['db-aws'],
        },
        [D2]: { kind: 'Provider', name: 'other' },
      },
    },
    'xpkg.io/a/p': {
      kind: 'Provider',
      versions: {
        'v2.0.0': { crds: ['buckets.s3.io', 'dbs.acme.io'] },
        'v1.0.0': {
          crds: ['buckets.s3.io'],
          defines: { 'buckets.s3.io': { group: 's3.io', kind: 'Bucket', versions: ['v1beta1'] } },
        },
        latest: { objects: [{ kind: 'Composition', name: 'buckets.s3.io' }] },
      },
    },
  },
};
const source = memorySource(universe);
const fetch = (repository: string, version: string) =>
  source.fetch({ repository, version }, target);

describe('tags', () => {
  test.each([
    { repository: 'xpkg.io/a/db', want: ['v1.0.0', 'v1.1.0'], why: 'a digest is no tag' },
    { repository: 'xpkg.io/a/p', want: ['v2.0.0', 'v1.0.0', 'latest'], why: 'semver or not' },
    { repository: 'xpkg.io/a/other', want: undefined, why: 'unknown is not empty' },
    { repository: '__proto__', want: undefined, why: 'what objects inherit is no package' },
    { repository: 'constructor', want: undefined, why: 'what objects inherit is no package' },
  ])('$repository: $why', async ({ repository, want }) => {
    expect(await source.tags(repository, target)).toEqual(want);
  });
});

describe('fetch', () => {
  test.each([
    { repository: 'xpkg.io/a/db', version: 'v1.2.0', why: 'no such tag' },
    { repository: 'xpkg.io/a/nope', version: 'v1.0.0', why: 'no such repository' },
    { repository: 'xpkg.io/a/db', version: 'toString', why: 'what objects inherit is no tag' },
    { repository: 'xpkg.io/a/p', version: D1, why: 'the digest of another repository' },
  ])('$version of $repository is missing: $why', async ({ repository, version }) => {
    expect(await fetch(repository, version)).toBeUndefined();
  });

  test('an entry has the contents of its package.yaml', async () => {
    expect(await fetch('xpkg.io/a/db', 'v1.0.0')).toMatchObject({
      digest: undefined,
      contents: {
        metas: [
          {
            apiVersion: undefined,
            kind: 'Configuration',
            name: 'db',
            crossplane: { version: '>=v1.0.0' },
            dependsOn: [],
          },
        ],
        objects: [
          { kind: 'CompositeResourceDefinition', name: 'xdbs.acme.io', claimCrd: 'dbs.acme.io' },
        ],
        problems: [],
      },
    });
  });

  test('a digest finds its tag', async () => {
    const byTag = await fetch('xpkg.io/a/db', 'v1.1.0');
    expect(byTag).toMatchObject({
      digest: D1,
      contents: { metas: [{ dependsOn: [{ provider: 'xpkg.io/a/p', version: '>=v1.0.0' }] }] },
    });
    expect(await fetch('xpkg.io/a/db', D1)).toEqual(byTag);
  });

  test('an untagged digest may be a version', async () => {
    expect(await fetch('xpkg.io/a/db', D2)).toMatchObject({
      digest: D2,
      contents: { metas: [{ kind: 'Provider', name: 'other' }] },
    });
  });
});

describe('owners', () => {
  const P = 'xpkg.io/a/p';
  test.each([
    {
      demand: { crd: 'buckets.s3.io' },
      want: [{ repository: P, versions: ['v1.0.0', 'v2.0.0'] }],
      why: 'a Composition of that name is no CRD',
    },
    {
      demand: { crd: 'dbs.acme.io' },
      want: [
        { repository: 'xpkg.io/a/db', versions: ['v1.0.0'] },
        { repository: P, versions: ['v2.0.0'] },
      ],
      why: 'a claim brings its CRD',
    },
    { demand: { crd: 'none.acme.io' }, want: [], why: 'no package has it' },
    {
      demand: { group: 's3.io', version: undefined, kind: 'Bucket' },
      want: [{ repository: P, versions: ['v1.0.0'] }],
      why: 'by kind, where the kind is known',
    },
    {
      demand: { group: '*', version: 'v1beta1', kind: 'Bucket' },
      want: [{ repository: P, versions: ['v1.0.0'] }],
      why: 'any group',
    },
    {
      demand: { group: 's3.io', version: 'v1', kind: 'Bucket' },
      want: [],
      why: 'another API version',
    },
  ])('$demand: $why', async ({ demand, want }) => {
    expect(await source.owners!(demand, target)).toEqual(want);
  });
});
