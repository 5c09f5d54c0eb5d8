import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { targetFor, type TargetRules } from '../../src/model/target.js';
import { LIMITS, type Limits } from '../../src/oci/limits.js';
import { locatePackage } from '../../src/oci/locate-package.js';
import { readPackage, type ReadPackage } from '../../src/oci/read-package.js';
import {
  BASE,
  blobOf,
  imageOf,
  indexOf,
  layerOf,
  packageImage,
  tarOf,
  type Image,
  type TarEntry,
} from '../support/registry/image.js';
import { MemoryRepository } from '../support/registry/memory-repository.js';
import { zstdOf, zstdRle } from '../support/registry/zstd.js';

const OLD = targetFor('v1.20.0')!.rules;
const V2 = targetFor('v2.0.0')!.rules;
const NEW = targetFor('v2.3.4')!.rules;
const AMD64 = { os: 'linux', architecture: 'amd64' };
const ARM64 = { os: 'linux', architecture: 'arm64' };

const images = { a: await packageImage('a'), b: await packageImage('b') };

interface Outcome {
  readonly got: ReadPackage<string>;
  readonly asked: readonly string[];
}

async function reading(
  image: Image,
  rules: TargetRules = NEW,
  limits: Limits = LIMITS,
): Promise<Outcome> {
  const repository = new MemoryRepository(image);
  const located = await locatePackage(repository, 'v1', rules, limits);
  const got = await readPackage(repository, located!, rules, {
    read: async (stream) => (await text(stream)).slice(0, 200_000),
    limits,
  });
  return { got, asked: repository.asked };
}

async function contentOf(image: Image, rules?: TargetRules): Promise<string | undefined> {
  const { got } = await reading(image, rules);
  return got.status === 'read' ? got.value : undefined;
}

function file(name: string, content = name): TarEntry {
  return { name, content };
}

const marked = (...entries: TarEntry[]) => layerOf(entries, { annotations: BASE });
const plain = (...entries: TarEntry[]) => layerOf(entries);

describe('children of an index', () => {
  test.each([
    { why: 'the second is for amd64', platforms: [ARM64, AMD64], want: 'b' },
    { why: 'the first of two', platforms: [AMD64, AMD64], want: 'a' },
    { why: 'no platform counts as amd64', platforms: [undefined, AMD64], want: 'a' },
    { why: 'nor does null', platforms: [null, AMD64], want: 'a' },
    { why: 'an empty one does not', platforms: [{ os: '', architecture: '' }, AMD64], want: 'b' },
    { why: 'never the only child', platforms: [ARM64], want: undefined },
    { why: 'windows is not linux', platforms: [{ os: 'windows', architecture: 'amd64' }] },
  ])('$why', async ({ platforms, want }) => {
    const index = indexOf(
      platforms.map((platform, i) => ({
        image: i === 0 ? images.a : images.b,
        ...(platform === undefined ? {} : { platform }),
      })),
    );
    for (const rules of [OLD, V2, NEW]) expect(await contentOf(index, rules)).toBe(want);
  });

  test('the digest is that of the index, and the child is told', async () => {
    const index = indexOf([{ image: images.b, platform: AMD64 }]);
    const located = await locatePackage(new MemoryRepository(index), 'v1', NEW);
    expect(located).toMatchObject({ digest: index.digest, manifest: images.b.digest });
    const single = await locatePackage(new MemoryRepository(images.b), 'v1', NEW);
    expect(single).toMatchObject({ digest: images.b.digest, manifest: undefined });
  });

  test('what an index says of platforms is shown harmless', async () => {
    const platform = { os: '\u001b[2J', architecture: 'x'.repeat(1000) };
    const { got } = await reading(indexOf([{ image: images.a, platform }]));
    expect(got).toMatchObject({ status: 'refused', why: expect.not.stringContaining('\u001b') });
    expect(JSON.stringify(got).length).toBeLessThan(400);
  });

  test('an index in an index is followed, a tower of them is not', async () => {
    let tower = images.a;
    const depths = [];
    for (let depth = 0; depth < 6; depth += 1) {
      tower = indexOf([{ image: tower, platform: AMD64 }]);
      depths.push(contentOf(tower).catch((error: { code: string }) => error.code));
    }
    expect(await Promise.all(depths)).toEqual(['a', 'a', 'a', 'a', 'BAD_IMAGE', 'BAD_IMAGE']);
  });
});

describe('the base layer', () => {
  test('alone is asked for', async () => {
    const base = await marked(file('package.yaml', 'x'));
    const image = imageOf([await plain(file('bin')), base, await plain(file('examples'))]);
    const { got, asked } = await reading(image);
    expect(got).toMatchObject({ value: 'x', baseLayer: base.digest, notes: [] });
    expect(got).toMatchObject({ packageYaml: blobOf('x').digest });
    expect(asked).toEqual([base.digest]);
  });

  test.each([
    { why: 'two marked: refused', rules: OLD, want: undefined },
    { why: 'two marked: refused', rules: targetFor('v2.1.0')!.rules, want: undefined },
    { why: 'two marked: the first', rules: targetFor('v2.2.0')!.rules, want: 'one' },
  ])('$why', async ({ rules, want }) => {
    const layers = [
      await marked(file('package.yaml', 'one')),
      await marked(file('package.yaml', 'two')),
    ];
    expect(await contentOf(imageOf(layers), rules)).toBe(want);
  });

  test('257 layers are too many for some targets', async () => {
    const base = await marked(file('package.yaml', 'x'));
    const many = imageOf([
      ...Array.from({ length: 256 }, () => ({ ...base, annotations: {} })),
      base,
    ]);
    expect(await contentOf(many, OLD)).toBeUndefined();
    expect(await contentOf(many, NEW)).toBe('x');
  });

  test('marked with anything but base is not marked', async () => {
    const layer = await layerOf([file('package.yaml', 'x')], {
      annotations: { 'io.crossplane.xpkg': 'Base' },
    });
    expect((await reading(imageOf([layer]))).got).toMatchObject({ baseLayer: undefined });
  });

  test('counts whatever else the image is said to be; without one an artifact is not searched', async () => {
    const types = { artifactType: 'application/vnd.me', config: 'application/json' };
    const base = await marked(file('package.yaml', 'x'));
    expect(await contentOf(imageOf([base], '{}', types))).toBe('x');
    const unmarked = await reading(imageOf([{ ...base, annotations: {} }], '{}', types));
    expect(unmarked).toMatchObject({ got: { status: 'refused' }, asked: [] });
  });
});

describe('package.yaml in the marked layer', () => {
  test.each([
    { name: 'package.yaml', old: true, new: true },
    { name: './package.yaml', old: false, new: true },
    { name: '/package.yaml', old: false, new: true },
    { name: 'a/package.yaml', old: false, new: true },
    { name: 'package.yml', old: false, new: false },
    { name: 'apackage.yaml', old: false, new: false },
  ])('$name is found by ≤v1.20: $old, by v2: $new', async ({ name, old, new: recent }) => {
    const image = imageOf([await marked(file('other'), file(name, 'x'))]);
    expect(await contentOf(image, OLD)).toBe(old ? 'x' : undefined);
    expect(await contentOf(image, V2)).toBe(recent ? 'x' : undefined);
  });

  test('in several folders: the first for v2, the exact one before, and it is said', async () => {
    const image = imageOf([
      await marked(file('a/package.yaml', 'a'), file('package.yaml', 'root')),
    ]);
    const recent = (await reading(image, NEW)).got;
    expect(recent).toMatchObject({ value: 'a', notes: [expect.stringContaining('package.yaml')] });
    const old = (await reading(image, OLD)).got;
    expect(old).toMatchObject({ value: 'root', notes: [expect.stringContaining('package.yaml')] });
  });

  test.each([
    { why: 'before', entries: [file('package.yaml', 'a'), file('package.yaml', 'b')] },
    { why: 'spelled two ways', entries: [file('package.yaml', 'a'), file('./package.yaml', 'b')] },
    { why: 'another file', entries: [file('package.yaml'), file('x', '1'), file('x', '2')] },
  ])('the same path twice is an integrity failure: $why', async ({ entries }) => {
    for (const rules of [OLD, NEW]) {
      await expect(reading(imageOf([await marked(...entries)]), rules)).rejects.toMatchObject({
        code: 'BAD_IMAGE',
      });
    }
  });

  test('a folder twice is nothing', async () => {
    const folder = { name: 'crds/', type: 'directory' } as const;
    expect(
      await contentOf(imageOf([await marked(folder, folder, file('package.yaml', 'x'))])),
    ).toBe('x');
  });

  test.each([{ type: 'symlink', linkname: '/etc/passwd' }, { type: 'directory' }] as const)(
    'a $type of that name is empty',
    async (entry) => {
      expect(await contentOf(imageOf([await marked({ name: 'package.yaml', ...entry })]))).toBe('');
    },
  );

  test.each([
    { why: 'a short name', name: 'package.yaml' },
    { why: 'a name that takes a header of its own', name: `${'d/'.repeat(120)}package.yaml` },
  ])('after the end of the tar is not there: $why', async ({ name }) => {
    const hidden = await tarOf([file(name, 'hidden')]);
    const after = (entries: TarEntry[]) =>
      layerOf(entries, {
        compress: (tar) => Buffer.concat([tar, hidden]),
        annotations: BASE,
      });
    expect(await contentOf(imageOf([await after([file('other')])]))).toBeUndefined();
    expect(await contentOf(imageOf([await after([])]))).toBeUndefined();
    expect(await contentOf(imageOf([await after([file('package.yaml', 'x')])]))).toBe('x');
  });

  test('zeros inside a file do not end the tar', async () => {
    const zeros = file('a.bin', '\0'.repeat(10_000));
    const image = imageOf([
      await marked(zeros, file('b.bin', '\0'.repeat(1024)), file('package.yaml', 'x')),
    ]);
    expect(await contentOf(image)).toBe('x');
  });

  test('a long name does not hide anything', async () => {
    const image = imageOf([await marked(file(`${'d/'.repeat(120)}package.yaml`, 'x'))]);
    expect(await contentOf(image, NEW)).toBe('x');
    expect(await contentOf(image, OLD)).toBeUndefined();
  });
});

describe('the flattened file system', () => {
  const pkg = file('package.yaml', 'x');

  test('is read from the top, no further than needed, and that is said', async () => {
    const [bottom, middle, top] = [
      await plain(file('bin')),
      await plain(pkg),
      await plain(file('e')),
    ];
    const { got, asked } = await reading(imageOf([bottom, middle, top]));
    expect(got).toMatchObject({ value: 'x', baseLayer: undefined });
    expect(got).toMatchObject({ notes: [expect.stringMatching(/2 layers.*docker push/)] });
    expect(asked).toEqual([top.digest, middle.digest]);
  });

  test.each([
    { why: 'the upper one wins', layers: [[file('package.yaml', 'low')], [pkg]], want: 'x' },
    { why: 'a whiteout hides it', layers: [[pkg], [file('.wh.package.yaml', '')]] },
    {
      why: 'a whiteout in its own layer comes too late',
      layers: [[pkg, file('.wh.package.yaml', '')]],
      want: 'x',
    },
    {
      why: 'an opaque whiteout means nothing',
      layers: [[pkg], [file('.wh..wh..opq', '')]],
      want: 'x',
    },
    { why: 'names are cleaned', layers: [[file('./package.yaml', 'x')]], want: 'x' },
  ])('$why', async ({ layers, want }) => {
    const image = imageOf(await Promise.all(layers.map((entries) => plain(...entries))));
    for (const rules of [OLD, NEW]) expect(await contentOf(image, rules)).toBe(want);
  });

  test.each([
    { why: 'a rooted name', layers: [[file('/package.yaml', 'x')]], old: undefined, want: 'x' },
    { why: 'in a folder', layers: [[file('a/package.yaml', 'x')]], old: undefined, want: 'x' },
    {
      why: 'in a folder that a file replaced',
      layers: [[file('a/package.yaml', 'x')], [file('a', 'file')]],
      old: undefined,
      want: undefined,
    },
    {
      why: 'in a folder that a whiteout hides',
      layers: [[file('a/b/package.yaml', 'x')], [file('.wh.a', '')]],
      old: undefined,
      want: undefined,
    },
    {
      why: 'hidden at the root, seen in a folder',
      layers: [[pkg, file('a/package.yaml', 'y')], [file('.wh.package.yaml', '')]],
      old: undefined,
      want: 'y',
    },
  ])('$why', async ({ layers, old, want }) => {
    const image = imageOf(await Promise.all(layers.map((entries) => plain(...entries))));
    expect(await contentOf(image, OLD)).toBe(old);
    expect(await contentOf(image, NEW)).toBe(want);
  });

  test('once it is hidden for good, lower layers are left alone', async () => {
    const top = await plain(file('.wh.package.yaml', ''));
    const { asked } = await reading(imageOf([await plain(pkg), top]), OLD);
    expect(asked).toEqual([top.digest]);
  });
});

describe('compression', () => {
  const entries = [file('package.yaml', 'kind: Provider\n'.repeat(10_000))];

  test.each([
    { why: 'none', compress: (tar: Uint8Array) => tar },
    { why: 'gzip', compress: (tar: Uint8Array) => gzipSync(tar) },
    { why: 'gzip in two members', compress: halves },
    { why: 'gzip and padding', compress: followed('\0'.repeat(512)) },
    { why: 'zstd', compress: zstdOf },
  ])('$why, whatever the media type says', async ({ compress }) => {
    const layer = await layerOf(entries, { compress, annotations: BASE });
    expect(await contentOf(imageOf([layer]))).toBe(entries[0]!.content);
  });

  test.each([
    { why: 'gzip cut off', spoil: (tar: Uint8Array) => gzipSync(tar).subarray(0, -20) },
    { why: 'gzip with a bit turned', spoil: (tar: Uint8Array) => turned(gzipSync(tar)) },
    { why: 'gzip and something after it', spoil: followed('garbage') },
    { why: 'zstd cut off', spoil: (tar: Uint8Array) => zstdOf(tar).subarray(0, -20) },
    { why: 'a tar cut off', spoil: (tar: Uint8Array) => tar.subarray(0, 3_000) },
    { why: 'no tar at all', spoil: () => Buffer.from('not a tar '.repeat(200)) },
  ])('$why is an integrity failure', async ({ spoil }) => {
    const layer = await layerOf(entries, { compress: spoil, annotations: BASE });
    await expect(reading(imageOf([layer]))).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });
});

describe('limits', () => {
  const bomb = 'x'.repeat(4 << 20);
  const small: Limits = { ...LIMITS, ratioFloorBytes: 1 << 20 };

  test.each([
    { why: 'a gzip bomb', compress: (tar: Uint8Array) => gzipSync(tar), limits: small },
    {
      why: 'a bomb beside package.yaml',
      compress: (tar: Uint8Array) => gzipSync(tar),
      limits: small,
      name: 'z',
    },
    {
      why: 'a large layer',
      compress: (tar: Uint8Array) => tar,
      limits: { ...LIMITS, unpackedBytes: 1 << 20 },
    },
    {
      why: 'a large package.yaml',
      compress: (tar: Uint8Array) => tar,
      limits: { ...LIMITS, packageYamlBytes: 1 << 20 },
    },
    {
      why: 'a zstd bomb',
      compress: () => zstdRle(64 << 20),
      limits: { ...LIMITS, ratioFloorBytes: 1 << 20 },
    },
  ])('$why', async ({ compress, limits, name = 'package.yaml' }) => {
    const entries = name === 'z' ? [file('package.yaml'), file(name, bomb)] : [file(name, bomb)];
    const image = imageOf([await layerOf(entries, { compress, annotations: BASE })]);
    await expect(reading(image, NEW, limits)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  test('too many files', async () => {
    const image = imageOf([await marked(...Array.from({ length: 11 }, (_, i) => file(`f${i}`)))]);
    const limits = { ...LIMITS, tarEntries: 10 };
    await expect(reading(image, NEW, limits)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  test('too many layers, too many children', async () => {
    const limits = { ...LIMITS, layers: 2, indexChildren: 2 };
    const base = await marked(file('package.yaml'));
    const image = imageOf([base, base, base]);
    await expect(reading(image, NEW, limits)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    const index = indexOf(Array.from({ length: 3 }, () => ({ image: imageOf([base]) })));
    await expect(reading(index, NEW, limits)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });
});

describe('manifests that are none', () => {
  const layer = { digest: blobOf('x').digest, size: 1 };
  test.each([
    { why: 'not JSON', body: '{' },
    { why: 'a list', body: '[]' },
    { why: 'schema 1', body: '{"schemaVersion":1,"fsLayers":[]}' },
    {
      why: 'image and index at once',
      body: JSON.stringify({ layers: [], manifests: [], config: layer }),
    },
    { why: 'no config', body: '{"layers":[]}' },
    {
      why: 'a digest nobody can check',
      body: JSON.stringify({
        config: layer,
        layers: [{ digest: `sha512:${'0'.repeat(128)}`, size: 1 }],
      }),
    },
    {
      why: 'a negative size',
      body: JSON.stringify({ config: layer, layers: [{ ...layer, size: -1 }] }),
    },
    {
      why: 'a layer that is not there',
      body: JSON.stringify({ config: layer, layers: [{ ...layer, annotations: BASE }] }),
    },
    { why: 'a child that is not there', body: JSON.stringify({ manifests: [layer] }) },
  ])('$why', async ({ body }) => {
    const image = { ...blobOf(body), mediaType: 'x', manifests: [], blobs: [] };
    await expect(reading(image)).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });

  test('a child whose size its index gets wrong', async () => {
    const child = await packageImage('x');
    const index = indexOf([{ image: child }]);
    const lying = JSON.stringify({
      manifests: [{ digest: child.digest, size: child.bytes.length + 1 }],
    });
    const image = { ...index, ...blobOf(lying) };
    await expect(reading(image)).rejects.toMatchObject({ code: 'BAD_DIGEST' });
  });
});

function halves(tar: Uint8Array): Uint8Array {
  return Buffer.concat([gzipSync(tar.subarray(0, 700)), gzipSync(tar.subarray(700))]);
}

function followed(by: string): (tar: Uint8Array) => Uint8Array {
  return (tar) => Buffer.concat([gzipSync(tar), Buffer.from(by)]);
}

function turned(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  copy[copy.length >> 1]! ^= 0x55;
  return copy;
}
