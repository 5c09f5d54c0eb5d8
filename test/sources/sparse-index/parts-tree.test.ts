import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseManifest } from '../../../src/oci/image/manifest.js';
import type { IndexFile, IndexPackage } from '../../../src/sources/index/index-file.js';
import {
  changedParts,
  buildParts,
  inconsistencies,
  MAX_MANIFEST_BYTES,
  sparseIndexArtifact,
} from '../../../src/sources/sparse-index/index-parts.js';
import { bucketBits, bucketOf } from '../../../src/sources/sparse-index/format.js';
import { universe } from '../../../src/testing/generators/universe.js';
import { MemoryArtifact } from '../../support/held-parts.js';

async function digestOf(index: IndexFile): Promise<string> {
  return sparseIndexArtifact(await buildParts(index)).manifest.digest;
}

test('an index that is changed in steps has the same bytes as a new one', async () => {
  await fc.assert(
    fc.asyncProperty(universe(), universe(), async (one, other) => {
      const held = await MemoryArtifact.of(one);
      const names = new Set([...Object.keys(one.packages), ...Object.keys(other.packages)]);
      const changes = [...names].map((repository) => ({
        repository,
        before: one.packages[repository],
        after: other.packages[repository],
      }));
      const changed = await changedParts(await held.open(), changes);
      expect(sparseIndexArtifact(changed).manifest.digest).toBe(await digestOf(other));
    }),
    { numRuns: 30 },
  );
});

test('does not depend on the order of packages', async () => {
  await fc.assert(
    fc.asyncProperty(universe(), async ({ packages }) => {
      const turned = { packages: Object.fromEntries(Object.entries(packages).toReversed()) };
      expect(await digestOf(turned)).toBe(await digestOf({ packages }));
    }),
    { numRuns: 15 },
  );
});

function provider(i: number, version = 'v1.0.0'): IndexPackage {
  return { kind: 'Provider', versions: { [version]: { crds: [`rs.g${i}.example.org`] } } };
}

const nameOf = (i: number) => `xpkg.example.org/acme/p${i}`;

function many(count: number): IndexFile {
  const packages = Array.from({ length: count }, (_, i) => [nameOf(i), provider(i)]);
  return { packages: Object.fromEntries(packages) };
}

test('an added version changes few parts: its package and the path to it, but no group', async () => {
  const index = many(3000);
  const held = await MemoryArtifact.of(index);
  const before = index.packages[nameOf(7)]!;
  const after = {
    ...before,
    versions: { ...before.versions, 'v1.1.0': before.versions['v1.0.0']! },
  };
  const changed = await changedParts(await held.open(), [{ repository: nameOf(7), before, after }]);
  const artifact = sparseIndexArtifact(changed);
  const manifests = [...artifact.manifests!, artifact.manifest];
  const fresh = [...artifact.blobs.keys(), ...manifests.map(({ digest }) => digest)].filter(
    (digest) => !held.bytes.has(digest),
  );
  // A part, its node, the table; their manifests, the index of these, the top.
  expect(fresh.length).toBeLessThanOrEqual(8);
});

test('manifests stay below 1 MB and list every part once, in a tree', async () => {
  const { manifest, manifests = [], blobs } = sparseIndexArtifact(await buildParts(many(3000)));
  const listed: string[] = [];
  for (const each of [...manifests, manifest]) {
    expect(each.bytes.length).toBeLessThan(MAX_MANIFEST_BYTES);
    const parsed = parseManifest(each, 'it');
    if (parsed.kind === 'image') listed.push(...parsed.layers.map(({ digest }) => digest));
  }
  expect(manifests.length).toBeGreaterThan(10);
  const config = 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a';
  expect(listed.toSorted()).toEqual([...blobs.keys()].filter((d) => d !== config).sort());
});

const long = (i: number) => `xpkg.example.org/${'long-name-'.repeat(320)}/${i}`;

test('long names lead to more manifests, because one would be too large', async () => {
  const packages = Object.fromEntries(
    Array.from({ length: 700 }, (_, i) => [long(i), { kind: 'Provider', versions: {} }]),
  );
  const { manifests = [] } = sparseIndexArtifact(await buildParts({ packages }));
  for (const { bytes } of manifests) expect(bytes.length).toBeLessThan(MAX_MANIFEST_BYTES);
});

test('many manifests lead to nested indexes', async () => {
  const others = Array.from({ length: 300_000 }, (_, i) => ({
    digest: `sha256:${i.toString(16).padStart(64, '0')}`,
    size: 1,
    kind: 'package' as const,
    title: `packages/${i}`,
  }));
  const { tables } = await buildParts({ packages: {} });
  // Only their titles matter here.
  const parts = { tables, others, bytes: new Map() } as unknown as Awaited<
    ReturnType<typeof buildParts>
  >;
  const { manifest, manifests = [] } = sparseIndexArtifact(parts);
  const sizes = [...manifests, manifest].map((each) => {
    const parsed = parseManifest(each, 'it');
    return parsed.kind === 'index' ? parsed.children.length : 0;
  });
  expect(Math.max(...sizes)).toBeLessThanOrEqual(512);
  expect(sizes.filter((size) => size > 0).length).toBeGreaterThan(3);
});

test('titles stay below the target folder, whatever the package names are', async () => {
  const names = ['../../etc/passwd', '/abs', '', '.', 'a//b', 'host:5000/x', 'a\ud800b', '..'];
  const packages = Object.fromEntries(names.map((name) => [name, provider(1)]));
  const { others } = await buildParts({ packages });
  const titles = others.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  for (const title of titles) {
    expect(title).toMatch(/^(?:packages|groups|lookup)\//);
    expect(title.split('/').filter((part) => /^\.*$/.test(part))).toEqual([]);
  }
});

test('a table that does not match its packages is reported', async () => {
  const held = await MemoryArtifact.of(many(3));
  expect(await inconsistencies(await held.open())).toEqual([]);
  const index = many(3);
  const liar = await changedParts(await held.open(), [
    // Claims that the package owned nothing, so that its old entries remain.
    { repository: nameOf(1), before: { kind: 'Provider', versions: {} }, after: provider(9) },
  ]);
  const all = sparseIndexArtifact(await buildParts(index));
  const blobs = new Map([...all.blobs, ...liar.bytes]);
  const lied = new MemoryArtifact({ ...sparseIndexArtifact(liar), blobs });
  expect(await inconsistencies(await lied.open())).toEqual(['its table of groups']);
});

test('keys are distributed over buckets', () => {
  expect([0, 48, 49, 96, 192, 100_000].map((n) => bucketBits(n))).toEqual([0, 0, 0, 1, 2, 11]);
  const buckets = Array.from({ length: 1000 }, (_, i) => bucketOf(`key ${i}`, 4));
  expect(new Set(buckets).size).toBe(16);
  expect(Math.max(...buckets)).toBe(15);
});
