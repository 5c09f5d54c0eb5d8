import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CrdRef } from '../../../src/crossplane/packages/crd-ref.js';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import { SourceError } from '../../../src/base/errors.js';
import type { PackageSource } from '../../../src/sources/package-source.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { collectApis } from '../../../src/sources/sparse-index/format.js';
import { sparseIndexSource } from '../../../src/sources/sparse-index/sparse-index-source.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { universe } from '../../../src/testing/generators/universe.js';
import { search } from '../../../src/features/packages/search.js';
import { sha256 } from '../../../src/base/digest.js';
import { MemoryArtifact } from '../../support/held-parts.js';

const target = targetFor('v2.3.4')!;

/** Objects of every kind that a package can be found by. */
const SORTS: IndexFile = {
  packages: {
    'xpkg.example.org/a/storage': {
      kind: 'Provider',
      versions: {
        'v1.0.0': {
          crds: ['buckets.s3.example.org', 'policies.iam.example.org'],
          defines: {
            'buckets.s3.example.org': { group: 's3.example.org', kind: 'Bucket', versions: ['v1'] },
          },
        },
        'v2.0.0': { crds: ['buckets.s3.example.org'] },
      },
    },
    'xpkg.example.org/a/platform': {
      kind: 'Configuration',
      versions: {
        'v0.1.0': {
          xrds: [
            {
              name: 'xdbs.acme.example.org',
              claim: 'dbs.acme.example.org',
              claimKind: 'Database',
              defines: { group: 'acme.example.org', kind: 'XDatabase', versions: ['v1alpha1'] },
            },
          ],
          compositions: ['xdb-cloud'],
        },
      },
    },
    'xpkg.example.org/b/storage': {
      kind: 'Provider',
      versions: {
        'v1.0.0': {
          crds: ['buckets.s3.example.org', 'Odd.Group.Example.org', 'things.one'],
          objects: [{ kind: 'ManagedResourceDefinition', name: 'disks.s3.example.org' }],
        },
      },
    },
    constructor: { kind: 'Provider', versions: { 'v1.0.0': {} } },
  },
};

function demandsOf({ packages }: IndexFile): CrdRef[] {
  const apis = Object.entries(packages).map(([name, held]) => collectApis(name, held));
  const groups = apis.flatMap((each) => [...each.groups]);
  return [
    ...groups.flatMap(([, { crds }]) => [...crds].map((crd) => ({ crd }))),
    ...groups.flatMap(([group, { kinds }]) =>
      [...kinds, '*'].map((kind) => ({ group, version: undefined, kind })),
    ),
    ...groups.flatMap(([, { kinds }]) =>
      [...kinds].map((kind) => ({ group: '*', version: undefined, kind })),
    ),
    { crd: 'nothing.of.that.name' },
    { group: '*', version: undefined, kind: '*' },
  ];
}

function wordsOf({ packages }: IndexFile): string[] {
  const apis = Object.entries(packages).map(([name, held]) => collectApis(name, held));
  const names = apis.flatMap(({ groups }) =>
    [...groups].flatMap(([group, { crds }]) => [group, ...crds]),
  );
  const singular = ['policy', 'bucket', 'db', 'disk'];
  return [...names, ...apis.flatMap(({ words }) => [...words]), ...singular, 'example', 'none'];
}

/** Every query of a source except for the list of all repositories. */
async function said(source: PackageSource, index: IndexFile): Promise<unknown> {
  const packages = [];
  for (const repository of [...Object.keys(index.packages), 'xpkg.example.org/none', '__proto__']) {
    const tags = await source.tags(repository, target);
    const versions = [...(tags ?? []), 'v9.9.9'].sort();
    const fetched = [];
    for (const version of versions)
      fetched.push(await source.fetch({ repository, version }, target));
    packages.push({ repository, tags: tags?.toSorted(), fetched });
  }
  const owners = [];
  for (const demand of demandsOf(index))
    owners.push([demand, await source.owners!(demand, target)]);
  const found = [];
  for (const word of wordsOf(index)) found.push([word, await search(word, { source, target })]);
  return { packages, owners, found, repositories: await source.repositories!() };
}

describe('a sparse index', () => {
  test('gives the same answers as an index in one file', async () => {
    const held = await MemoryArtifact.of(SORTS);
    const source = sparseIndexSource(await held.open());
    expect(await said(source, SORTS)).toEqual(await said(memorySource(SORTS), SORTS));
  });

  test('does so for any universe', async () => {
    await fc.assert(
      fc.asyncProperty(universe(), async (index) => {
        const source = sparseIndexSource(await (await MemoryArtifact.of(index)).open());
        expect(await said(source, index)).toEqual(await said(memorySource(index), index));
      }),
      { numRuns: 15 },
    );
  });

  test('reads a node and a part per package, and the group and its owners per CRD', async () => {
    const many = manyPackages(2000);
    const held = await MemoryArtifact.of(many);
    const snapshot = await held.open();
    const asked = async (ask: (source: PackageSource) => Promise<unknown>) => {
      const source = sparseIndexSource(snapshot);
      held.asked.length = 0;
      await ask(source);
      const bytes = held.asked.map((digest) => held.bytes.get(digest)!.length);
      return { requests: bytes.length, bytes: bytes.reduce((sum, each) => sum + each, 0) };
    };
    const whole = [...held.bytes.values()].reduce((sum, each) => sum + each.length, 0);
    await asked((source) => source.tags(nameOf(1), target));
    const next = await asked((source) => source.tags(nameOf(2), target));
    expect(next.requests).toBeLessThanOrEqual(2);
    expect(next.bytes).toBeLessThan(whole / 50);
    const owners = await asked((source) =>
      source.owners!({ crd: 'things.g7.example.org' }, target),
    );
    expect(owners.requests).toBeLessThanOrEqual(5);
    const found = await asked((source) => source.repositories!('things7'));
    expect(found.bytes).toBeLessThan(whole / 2);
  });
});

const nameOf = (i: number) => `xpkg.example.org/acme/package-${i}`;

const filled = (i: number) => ({
  kind: 'Provider',
  versions: {
    'v1.0.0': { crds: [`things.g${i}.example.org`], labels: { filler: 'x'.repeat(200) } },
  },
});

function manyPackages(count: number): IndexFile {
  const names = Array.from({ length: count }, (_, i) => [nameOf(i), filled(i)]);
  return { packages: Object.fromEntries(names) };
}

const flipped = (bytes: Uint8Array) => {
  const copy = Buffer.from(bytes);
  copy[copy.length >> 1]! ^= 1;
  return copy;
};
/** A forged part is well-formed and has the same length. */
const lie = (bytes: Uint8Array) =>
  Buffer.from(Buffer.from(bytes).toString().replaceAll('v1.0.0', 'v1.0.1'));

describe('damage', () => {
  test.each([
    { what: 'a bit that is another', change: flipped },
    { what: 'a lie', change: lie },
    { what: 'an end that is missing', change: (bytes: Uint8Array) => bytes.slice(0, -1) },
    { what: 'nothing at all', change: () => undefined },
  ])('$what, in any blob, is found or has no effect', async ({ change }) => {
    const right = JSON.stringify(await said(memorySource(SORTS), SORTS));
    const blobs = [...(await MemoryArtifact.of(SORTS)).bytes.keys()];
    let found = 0;
    for (const digest of blobs) {
      const held = await MemoryArtifact.of(SORTS);
      const changed = change(held.bytes.get(digest)!);
      if (changed === undefined) held.bytes.delete(digest);
      else held.bytes.set(digest, changed);
      try {
        expect(JSON.stringify(await said(sparseIndexSource(await held.open()), SORTS))).toBe(right);
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        found += 1;
      }
    }
    expect(found).toBeGreaterThan(change === lie ? 2 : blobs.length / 2);
  });

  test('a node with the part of another package, or a group with another group', async () => {
    const held = await MemoryArtifact.of(SORTS);
    const snapshot = await held.open();
    const parts = await snapshot.packages();
    const [one, other] = [...parts.values()];
    await expect(snapshot.packageAt([...parts.keys()][0]!, other!)).rejects.toThrow(
      'another package',
    );
    expect(await snapshot.packageAt([...parts.keys()][0]!, one!)).toBeDefined();
  });
});

describe('parts that would use too much memory', () => {
  const index: IndexFile = {
    packages: { 'a.io/x/p': { kind: 'Provider', versions: { 'v1.0.0': {} } } },
  };

  test.each([
    { why: 'too large', size: 17 * 1024 * 1024, bytes: Buffer.alloc(0) },
    { why: 'too many values', size: 6_000_001, bytes: Buffer.from(`${'[],'.repeat(2_000_000)}1`) },
  ])('$why: refused', async ({ size, bytes }) => {
    const held = await MemoryArtifact.of(index);
    const snapshot = await held.open();
    const digest = sha256(bytes);
    held.bytes.set(digest, bytes);
    held.asked.length = 0;
    await expect(snapshot.packageAt('a.io/x/p', { digest, size })).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
    expect(held.asked).toEqual(bytes.length === 0 ? [] : [digest]);
  });
});
