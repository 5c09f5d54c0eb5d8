import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { DiskCache } from '../../../src/oci/store/disk-cache.js';
import { fetchImage, parsedPackages } from '../../../src/sources/images/fetch-image.js';
import { providerYaml } from '../../support/package-yaml.js';
import { blobOf, imageOf, layerOf, packageImage } from '../../support/registry/image.js';
import { MemoryRepository } from '../../support/registry/memory-repository.js';

const V1 = targetFor('v1.20.0')!;
const V2 = targetFor('v2.3.4')!;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parsed-'));
});

afterEach(() => rm(folder, { recursive: true }));

function parsed(tool = '1.0.0') {
  return parsedPackages(new DiskCache({ folder, offline: false, note: () => {} }), tool);
}

async function flat() {
  return imageOf([await layerOf([{ name: 'package.yaml', content: providerYaml('p') }])]);
}

test.each([
  { why: 'a marked layer', image: () => packageImage(providerYaml('p', 'a.example.org')) },
  { why: 'an image that has to be flattened', image: flat },
])('$why is parsed once, and the cached result is the same', async ({ image }) => {
  const repository = new MemoryRepository(await image());
  const plain = await fetchImage(repository, 'v1', V2);
  const cold = await fetchImage(repository, 'v1', V2, parsed());
  const reads = repository.asked.length;
  const warm = await fetchImage(repository, 'v1', V2, parsed());
  expect(repository.asked).toHaveLength(reads);
  expect([cold, warm]).toEqual([plain, plain]);
});

test.each([
  { why: 'another release of the tool may read it otherwise', tool: '1.0.1', target: V2 },
  { why: 'another target may take another file', tool: '1.0.0', target: V1 },
])('a cached result is not used if it might be wrong: $why', async ({ tool, target }) => {
  const repository = new MemoryRepository(await packageImage(providerYaml('p')));
  await fetchImage(repository, 'v1', V2, parsed());
  await fetchImage(repository, 'v1', target, parsed(tool));
  expect(repository.asked).toHaveLength(2);
});

test('a cached package is not used if a manifest states another layer size', async () => {
  const image = await packageImage(providerYaml('p'));
  const { length } = image.blobs.at(-1)!.bytes;
  const text = Buffer.from(image.bytes).toString();
  const lying = text.replace(new RegExp(`"size":${length},"ann`), `"size":${length + 1},"ann`);
  expect(lying).not.toBe(text);
  const repositories = [image, { ...image, ...blobOf(lying) }].map((x) => new MemoryRepository(x));
  for (const repository of repositories) {
    await fetchImage(repository, 'v1', V2, parsed());
    expect(repository.asked).toHaveLength(1);
  }
});

test('numbers that JSON cannot represent are parsed again', async () => {
  const yaml = `${providerYaml('p')}spec:\n  crossplane: -0.0\n`;
  const repository = new MemoryRepository(await packageImage(yaml));
  const first = await fetchImage(repository, 'v1', V2, parsed());
  expect(first?.contents.metas[0]?.crossplane).toBe(-0);
  expect(await fetchImage(repository, 'v1', V2, parsed())).toEqual(first);
});
