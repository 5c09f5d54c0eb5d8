import { describe, expect, test } from 'vitest';
import type { IndexFile, IndexPackage } from '../../../src/sources/index/index-file.js';
import { SourceError } from '../../../src/base/errors.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import {
  changedParts,
  buildParts,
  inconsistencies,
  sparseIndexArtifact,
  SparseIndexBuilder,
} from '../../../src/sources/sparse-index/index-parts.js';
import {
  hashOf,
  MAX_REQUIRES,
  mostRequired,
  type PackageRef,
  parsePackageRef,
  requiredHashes,
} from '../../../src/sources/sparse-index/format.js';
import { SparseIndexSnapshot } from '../../../src/sources/sparse-index/snapshot.js';
import { sparseIndexSource } from '../../../src/sources/sparse-index/sparse-index-source.js';
import { sha256 } from '../../../src/base/digest.js';
import { MemoryArtifact } from '../../support/held-parts.js';
import { InRounds } from '../../support/in-rounds.js';

const target = targetFor('v2.3.4')!;
const CLOSURE = 13;
const nameOf = (i: number) => `xpkg.example.org/acme/p${i}`;
const requiring = (names: readonly string[]): IndexPackage => ({
  kind: 'Configuration',
  versions: {
    'v1.0.0': { dependsOn: names.map((name) => ({ provider: name, version: '>=v1.0.0' })) },
  },
});

/** The first 13 are a tree of three levels; `crowd` adds 300 others, each required by several. */
function tree(size: number, { crowd = false } = {}): IndexFile {
  const required = (i: number) => {
    if (i < CLOSURE) return [3 * i + 1, 3 * i + 2, 3 * i + 3].filter((k) => k < CLOSURE);
    return crowd ? [CLOSURE + (i % 300)] : [];
  };
  const packages = Array.from({ length: size }, (_, i) => [
    nameOf(i),
    requiring(required(i).map(nameOf)),
  ]);
  return { packages: Object.fromEntries(packages) };
}

/** The older format without hints. */
async function unhinted({ packages }: IndexFile): Promise<MemoryArtifact> {
  const made = new SparseIndexBuilder(undefined, { hinted: false });
  for (const [repository, after] of Object.entries(packages)) {
    await made.change({ repository, before: undefined, after });
  }
  return new MemoryArtifact(sparseIndexArtifact(made.finish()));
}

/** The same package parts, with other hints for the first package. */
async function hintedAs(index: IndexFile, requires: readonly unknown[]): Promise<MemoryArtifact> {
  const held = await MemoryArtifact.of(index);
  const snapshot = await held.open();
  const packages = new Map(await snapshot.packages());
  // Untrusted input may have values that are not numbers.
  packages.set(nameOf(0), { ...packages.get(nameOf(0))!, requires: requires as readonly number[] });
  const parts = new SparseIndexBuilder({
    packages,
    groups: await snapshot.groups(),
    words: await snapshot.words(),
    group: async (name) => (await snapshot.group(name))!,
  }).finish();
  const blobs = new Map([...held.artifact.blobs, ...parts.bytes]);
  return new MemoryArtifact({ ...sparseIndexArtifact(parts), blobs });
}

/** Reads the closure of the first package level by level, as the solver does. */
async function walked(held: MemoryArtifact, { distant = true } = {}) {
  const images = new InRounds(held);
  const snapshot = await SparseIndexSnapshot.open(images, held.artifact.manifest, 'the index');
  const source = sparseIndexSource(snapshot, { distant });
  const said: unknown[] = [];
  for (let level = [nameOf(0)]; level.length > 0;) {
    const read = await Promise.all(
      level.map(async (repository) => {
        const tags = await source.tags(repository, target);
        const version = tags?.[0] ?? '';
        const fetched = await source.fetch({ repository, version }, target);
        return { repository, tags, contents: fetched?.contents };
      }),
    );
    said.push(read);
    const entries = read.flatMap(({ contents }) => contents?.metas[0]?.dependsOn ?? []);
    level = entries.map((entry) => (entry as { provider: string }).provider);
  }
  const digests = images.rounds.flat();
  const rounds = images.rounds.length;
  return { said: JSON.stringify(said), rounds, requests: digests.length, digests };
}

describe('round trips', () => {
  test('a level of a closure takes one round trip, however many packages there are', async () => {
    const counts = [];
    for (const size of [100, 3000]) {
      const { rounds, requests } = await walked(await MemoryArtifact.of(tree(size)));
      counts.push({ rounds, requests });
    }
    // Table and list, a node, three levels of parts.
    const few = { rounds: 5, requests: 3 + CLOSURE };
    expect(counts).toEqual([few, few]);
  });

  test('also if other packages are required more often', async () => {
    const index = tree(3000, { crowd: true });
    const hinted = await walked(await MemoryArtifact.of(index));
    const before = await walked(await unhinted(index));
    expect(hinted.rounds).toBe(5);
    expect(before.rounds).toBe(7);
    // The list, and no unnecessary node.
    expect(hinted.requests).toBe(before.requests + 1);
    expect(hinted.said).toBe(before.said);
  });

  test('packages without hints cost no additional request', async () => {
    const index = tree(3000, { crowd: true });
    const near = await walked(await MemoryArtifact.of(index), { distant: false });
    expect(near.rounds).toBe(7);
  });
});

describe('hints', () => {
  const index = tree(600, { crowd: true });
  const many = Array.from({ length: 10_000 }, (_, i) => hashOf(`${i}`));

  test.each([
    { what: 'none', requires: [] },
    { what: 'wrong ones', requires: [hashOf('of nothing'), hashOf(nameOf(500))] },
    { what: 'no hashes', requires: [-1, 2 ** 40, 1.5, 'x', null, [0], { a: 1 }] },
    { what: 'far too many', requires: many },
  ])('$what: the answers are the same, and `index verify` reports it', async ({ requires }) => {
    const right = await walked(await MemoryArtifact.of(index));
    const held = await hintedAs(index, requires);
    const lied = await walked(held);
    expect(lied.said).toBe(right.said);
    expect(lied.requests).toBeLessThan(right.requests + 2 + 16);
    expect(await inconsistencies(await held.open())).toContain('its table of packages');
  });

  test('are limited in number', () => {
    const [digest, size] = [`sha256:${'0'.repeat(64)}`, 1];
    expect(parsePackageRef([digest, size, many])?.requires).toEqual(many.slice(0, MAX_REQUIRES));
    expect(parsePackageRef([digest, size, 'odd'])?.requires).toEqual([]);
  });

  test('a node from a hint may be missing; a required one may not', async () => {
    const far = tree(3000, { crowd: true });
    const right = await walked(await MemoryArtifact.of(far));
    // A bucket without packages of the closure.
    const held = await hintedAs(far, [hashOf(nameOf(2999))]);
    const [root, stray] = [nodeOf(held, nameOf(0)), nodeOf(held, nameOf(2999))];
    expect((await walked(held)).digests).toContain(stray);
    held.bytes.delete(stray);
    expect((await walked(held)).said).toBe(right.said);
    held.bytes.delete(root);
    await expect(walked(held)).rejects.toThrow(SourceError);
  });
});

/** Returns the digest of the node with a package; the last one if it was changed. */
function nodeOf({ bytes }: MemoryArtifact, name: string): string {
  const isNode = (text: string) =>
    text.startsWith('{"packages":') && text.includes(`"${name}":["sha256:`);
  return [...bytes].findLast(([, each]) => isNode(Buffer.from(each).toString()))![0];
}

describe('the manifest with the tables', () => {
  const index = tree(20);

  test('is embedded in the top manifest', async () => {
    const held = await MemoryArtifact.of(index);
    expect(await (await held.open()).package(nameOf(1))).toBeDefined();
    const manifests = held.artifact.manifests!.map(({ digest }) => digest);
    expect(held.asked.filter((digest) => manifests.some((each) => each === digest))).toEqual([]);
    const old = await unhinted(index);
    await old.open();
    expect(old.asked).toEqual([old.artifact.manifests![0]!.digest]);
  });

  test.each([
    { what: 'something else', data: Buffer.from('{}').toString('base64') },
    { what: 'no base64', data: '***' },
    { what: 'no text', data: 7 },
  ])('is rejected if the top embeds $what in its place', async ({ data }) => {
    const held = await MemoryArtifact.of(index);
    const top = JSON.parse(Buffer.from(held.artifact.manifest.bytes).toString()) as {
      manifests: { data: unknown }[];
    };
    top.manifests[0]!.data = data;
    const bytes = Buffer.from(JSON.stringify(top));
    const opening = SparseIndexSnapshot.open(held, { digest: sha256(bytes), bytes }, 'it');
    await expect(opening).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });
});

describe('an older index', () => {
  const index = tree(600, { crowd: true });

  test('is read and matches its packages', async () => {
    const old = await unhinted(index);
    const snapshot = await old.open();
    expect(snapshot.hasHints).toBe(false);
    expect((await walked(old)).said).toBe((await walked(await MemoryArtifact.of(index))).said);
    expect(await inconsistencies(snapshot)).toEqual([]);
  });

  test('has the bytes of a new one after an update', async () => {
    const anew = sparseIndexArtifact(await buildParts(index)).manifest.digest;
    const snapshot = await (await unhinted(index)).open();
    expect(snapshot.digest).not.toBe(anew);
    expect(sparseIndexArtifact(await changedParts(snapshot, [])).manifest.digest).toBe(anew);
  });
});

describe('the requirements of a package', () => {
  test('are those of any version, in every form, without duplicates', () => {
    const hashes = requiredHashes({
      kind: 'Configuration',
      versions: {
        'v1.0.0': {
          dependsOn: [{ provider: 'a' }, { crd: 'x.y.z' }, 'odd', null, { function: 7 }],
        },
        'v2.0.0': { dependsOn: [{ package: 'b', kind: 'Function' }, { function: 'c' }] },
        'v3.0.0': { dependsOn: [{ configuration: 'd' }, { provider: 'a' }] },
      },
    });
    expect(hashes).toEqual(['a', 'b', 'c', 'd'].map(hashOf).sort((a, b) => a - b));
  });

  test('are limited in number', () => {
    const names = Array.from({ length: 1000 }, (_, i) => `p${i}`);
    const hashes = requiredHashes(requiring(names));
    expect(hashes).toHaveLength(MAX_REQUIRES);
    expect(requiredHashes(requiring(names.toReversed()))).toEqual(hashes);
  });
});

const ref = (names: readonly string[]): PackageRef => ({
  digest: sha256(''),
  size: 1,
  requires: names.map(hashOf),
});

test('the list has the most required packages; ties are sorted by name', () => {
  const once = Array.from({ length: 300 }, (_, i) => `once-${String(i).padStart(3, '0')}`);
  const packages = new Map([
    ['z', ref([])],
    ['unknown to all', ref([])],
    ...once.map((name) => [name, ref(['z', 'not here'])] as const),
    ['all', ref(once)],
  ]);
  expect(mostRequired(packages)).toEqual([...once.slice(0, 255), 'z']);
  expect(mostRequired(new Map([...packages].toReversed()))).toEqual(mostRequired(packages));
  expect(mostRequired(new Map([['z', ref([])]]))).toEqual([]);
});
