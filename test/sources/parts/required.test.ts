import { describe, expect, test } from 'vitest';
import type { IndexFile, IndexPackage } from '../../../src/model/index-file.js';
import { SourceError } from '../../../src/model/source-error.js';
import { targetFor } from '../../../src/model/target/target.js';
import { changedParts, partsOf, untruths } from '../../../src/sources/parts/held-index.js';
import { mostRequired } from '../../../src/sources/parts/most-required.js';
import { partsArtifact } from '../../../src/sources/parts/parts-artifact.js';
import {
  hashOf,
  MAX_REQUIRES,
  packageRefFrom,
  type PackageRef,
} from '../../../src/sources/parts/parts-format.js';
import { PartsSnapshot } from '../../../src/sources/parts/parts-snapshot.js';
import { partsSource } from '../../../src/sources/parts/parts-source.js';
import { PartsTree } from '../../../src/sources/parts/parts-tree.js';
import { requiredHashes } from '../../../src/sources/parts/required-hashes.js';
import { sha256 } from '../../../src/text/digest.js';
import { HeldParts } from '../../support/held-parts.js';
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

/** The first 13 are a tree of three levels; `crowd`: 300 others are each required by several. */
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

/** As indexes were before they said what packages require. */
async function unhinted({ packages }: IndexFile): Promise<HeldParts> {
  const made = new PartsTree(undefined, { hinted: false });
  for (const [repository, after] of Object.entries(packages)) {
    await made.change({ repository, before: undefined, after });
  }
  return new HeldParts(partsArtifact(made.finish()));
}

/** The same packages by the same parts, with other hints of the first. */
async function hintedAs(index: IndexFile, requires: readonly unknown[]): Promise<HeldParts> {
  const held = await HeldParts.of(index);
  const snapshot = await held.open();
  const packages = new Map(await snapshot.packages());
  // What a stranger writes need not be numbers.
  packages.set(nameOf(0), { ...packages.get(nameOf(0))!, requires: requires as readonly number[] });
  const parts = new PartsTree({
    packages,
    groups: await snapshot.groups(),
    words: await snapshot.words(),
    group: async (name) => (await snapshot.group(name))!,
  }).finish();
  const blobs = new Map([...held.artifact.blobs, ...parts.bytes]);
  return new HeldParts({ ...partsArtifact(parts), blobs });
}

/** Reads the closure of the first package level by level, as a search does. */
async function walked(held: HeldParts, { distant = true } = {}) {
  const images = new InRounds(held);
  const snapshot = await PartsSnapshot.open(images, held.artifact.manifest, 'the index');
  const source = partsSource(snapshot, { distant });
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

describe('rounds of requests', () => {
  test('a level of a closure costs one round, however many packages there are', async () => {
    const counts = [];
    for (const size of [100, 3000]) {
      const { rounds, requests } = await walked(await HeldParts.of(tree(size)));
      counts.push({ rounds, requests });
    }
    // Table and list, a node, three levels of parts.
    const few = { rounds: 5, requests: 3 + CLOSURE };
    expect(counts).toEqual([few, few]);
  });

  test('so it does where others are required more often', async () => {
    const index = tree(3000, { crowd: true });
    const hinted = await walked(await HeldParts.of(index));
    const before = await walked(await unhinted(index));
    expect(hinted.rounds).toBe(5);
    expect(before.rounds).toBe(7);
    // The list, and no node that would not be needed.
    expect(hinted.requests).toBe(before.requests + 1);
    expect(hinted.said).toBe(before.said);
  });

  test('what is not asked ahead costs no request more', async () => {
    const index = tree(3000, { crowd: true });
    const near = await walked(await HeldParts.of(index), { distant: false });
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
  ])('$what: the same is said, and `index verify` tells', async ({ requires }) => {
    const right = await walked(await HeldParts.of(index));
    const held = await hintedAs(index, requires);
    const lied = await walked(held);
    expect(lied.said).toBe(right.said);
    expect(lied.requests).toBeLessThan(right.requests + 2 + 16);
    expect(await untruths(await held.open())).toContain('its table of packages');
  });

  test('are read up to a number, and no further', () => {
    const [digest, size] = [`sha256:${'0'.repeat(64)}`, 1];
    expect(packageRefFrom([digest, size, many])?.requires).toEqual(many.slice(0, MAX_REQUIRES));
    expect(packageRefFrom([digest, size, 'odd'])?.requires).toEqual([]);
  });

  test('a node that only a hint led to may be missing; one that is needed may not', async () => {
    const far = tree(3000, { crowd: true });
    const right = await walked(await HeldParts.of(far));
    // Of a bucket that nothing in the closure is in.
    const held = await hintedAs(far, [hashOf(nameOf(2999))]);
    const [root, stray] = [nodeOf(held, nameOf(0)), nodeOf(held, nameOf(2999))];
    expect((await walked(held)).digests).toContain(stray);
    held.bytes.delete(stray);
    expect((await walked(held)).said).toBe(right.said);
    held.bytes.delete(root);
    await expect(walked(held)).rejects.toThrow(SourceError);
  });
});

/** The digest of the node that a package is in; the last, where there were others before. */
function nodeOf({ bytes }: HeldParts, name: string): string {
  const isNode = (text: string) =>
    text.startsWith('{"packages":') && text.includes(`"${name}":["sha256:`);
  return [...bytes].findLast(([, each]) => isNode(Buffer.from(each).toString()))![0];
}

describe('the manifest with the tables', () => {
  const index = tree(20);

  test('comes with the top, so that it need not be asked for', async () => {
    const held = await HeldParts.of(index);
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
  ])('is asked for where $what comes in its place', async ({ data }) => {
    const held = await HeldParts.of(index);
    const top = JSON.parse(Buffer.from(held.artifact.manifest.bytes).toString()) as {
      manifests: { data: unknown }[];
    };
    top.manifests[0]!.data = data;
    const bytes = Buffer.from(JSON.stringify(top));
    const snapshot = await PartsSnapshot.open(held, { digest: sha256(bytes), bytes }, 'it');
    expect(held.asked).toEqual([held.artifact.manifests![0]!.digest]);
    expect(await snapshot.package(nameOf(1))).toBeDefined();
    expect(await untruths(snapshot)).toEqual(['what its manifests list']);
  });
});

describe('an index that was written before', () => {
  const index = tree(600, { crowd: true });

  test('is read, and follows from its packages', async () => {
    const old = await unhinted(index);
    const snapshot = await old.open();
    expect(snapshot.isHinted).toBe(false);
    expect((await walked(old)).said).toBe((await walked(await HeldParts.of(index))).said);
    expect(await untruths(snapshot)).toEqual([]);
  });

  test('has the bytes of one that is made anew once it is updated', async () => {
    const anew = partsArtifact(await partsOf(index)).manifest.digest;
    const snapshot = await (await unhinted(index)).open();
    expect(snapshot.digest).not.toBe(anew);
    expect(partsArtifact(await changedParts(snapshot, [])).manifest.digest).toBe(anew);
  });
});

describe('what a package requires', () => {
  test('is what any of its versions names, in whatever form, each once', () => {
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

  test('is cut off where there is no end', () => {
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

test('the list holds those that most require, of equal ones the first by name, and no others', () => {
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
