import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decompressLayer } from '../../../src/oci/archive/unpack.js';
import { LIMITS, type Limits } from '../../../src/oci/image/limits.js';
import { SourceError } from '../../../src/base/errors.js';
import { BASE, imageOf, indexOf, layerOf } from '../../support/registry/image.js';
import { contentOf, file, marked, NEW, reading } from '../../support/registry/reading.js';
import { zstdOf, zstdRle } from '../../support/registry/zstd.js';

const SKIPPABLE = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2]);

function deep(folders: number) {
  return marked(file('package.yaml'), file(`${'d/'.repeat(folders)}x`));
}

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Raw zstd blocks of one byte each; the last one is empty. */
function tinyBlocks(count: number): Uint8Array {
  return Buffer.concat([...Array(count).fill(Buffer.from([8, 0, 0, 65])), Buffer.from([1, 0, 0])]);
}

/** Marks a raw block as compressed, so that its content is invalid. */
function turnedBlock(frame: Uint8Array): Uint8Array {
  const bytes = Buffer.from(frame);
  bytes[6]! |= 0b100;
  return bytes;
}

describe('compression', () => {
  const entries = [file('package.yaml', 'kind: Provider\n'.repeat(10_000))];

  test.each([
    { why: 'none', compress: (tar: Uint8Array) => tar },
    { why: 'gzip', compress: (tar: Uint8Array) => gzipSync(tar) },
    { why: 'gzip in two members', compress: halves },
    { why: 'gzip and padding', compress: followed('\0'.repeat(512)) },
    { why: 'zstd', compress: zstdOf },
    { why: 'zstd in two frames', compress: frames },
  ])('$why, whatever the media type says', async ({ compress }) => {
    const layer = await layerOf(entries, { compress, annotations: BASE });
    expect(await contentOf(imageOf([layer]))).toBe(entries[0]!.content);
  });

  test.each([
    { why: 'gzip cut off', spoil: (tar: Uint8Array) => gzipSync(tar).subarray(0, -20) },
    { why: 'gzip with a bit turned', spoil: (tar: Uint8Array) => turned(gzipSync(tar)) },
    { why: 'gzip and something after it', spoil: followed('garbage') },
    {
      why: 'gzip and the beginning of another member',
      spoil: (tar: Uint8Array) => Buffer.concat([gzipSync(tar), gzipSync(tar).subarray(0, 15)]),
    },
    {
      why: 'damage behind the end of the tar',
      spoil: (tar: Uint8Array) => {
        const packed = gzipSync(Buffer.concat([tar, Buffer.alloc(1 << 20, 'garbage')]));
        return packed.subarray(0, -20);
      },
    },
    { why: 'zstd cut off', spoil: (tar: Uint8Array) => zstdOf(tar).subarray(0, -20) },
    {
      why: 'zstd and something after it',
      spoil: (tar: Uint8Array) => Buffer.concat([zstdOf(tar), Buffer.from('garbage')]),
    },
    { why: 'another way to pack (xz)', spoil: () => Buffer.from('\u00fd7zXZ\0\0', 'latin1') },
    { why: 'a tar cut off', spoil: (tar: Uint8Array) => tar.subarray(0, 3_000) },
    { why: 'no tar at all', spoil: () => Buffer.from('not a tar '.repeat(200)) },
  ])('$why is an integrity failure', async ({ spoil }) => {
    const layer = await layerOf(entries, { compress: spoil, annotations: BASE });
    await expect(reading(imageOf([layer]))).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });
});

describe('the result does not depend on the chunks of a layer', () => {
  const content = Buffer.from('kind: Provider\n'.repeat(30));
  const inFrames = Buffer.concat([zstdOf(content), SKIPPABLE, zstdOf(content)]);

  test.each([
    { why: 'as it is', packed: content, unpacked: content },
    { why: 'shorter than any magic', packed: Buffer.from('x'), unpacked: Buffer.from('x') },
    { why: 'gzip', packed: gzipSync(content), unpacked: content },
    { why: 'two members', packed: halves(content), unpacked: content },
    { why: 'padding', packed: followed('\0\0\0')(content), unpacked: content },
    { why: 'garbage', packed: followed('garbage')(content), unpacked: undefined },
    { why: 'cut off', packed: gzipSync(content).subarray(0, -3), unpacked: undefined },
    { why: 'zstd', packed: inFrames, unpacked: Buffer.concat([content, content]) },
    { why: 'zstd cut off', packed: inFrames.subarray(0, -3), unpacked: undefined },
    { why: 'zstd and garbage', packed: Buffer.concat([inFrames, SKIPPABLE.subarray(1)]) },
  ])('$why', async ({ packed, unpacked }) => {
    for (let size = 1; size <= packed.length; size++) {
      const got = buffer(
        decompressLayer({ chunks: inChunks(packed, size), size: packed.length }, 'x'),
      );
      if (unpacked === undefined) await expect(got).rejects.toMatchObject({ code: 'BAD_IMAGE' });
      else expect((await got).equals(unpacked)).toBe(true);
    }
  });
});

test('blocks of one byte are joined into large chunks', async () => {
  const packed = Buffer.concat([zstdOf(Buffer.alloc(1)).subarray(0, 6), tinyBlocks(200_000)]);
  const sizes: number[] = [];
  const chunks = decompressLayer({ chunks: inChunks(packed, 1000), size: packed.length }, 'x');
  for await (const chunk of chunks) sizes.push(chunk.length);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(200_000);
  expect(sizes.length).toBeLessThan(10);
});

test('the next zstd layer is readable after any number of damaged ones', async () => {
  // A window of 32 MiB and one invalid block of 256 bytes.
  const beginning = Buffer.from([
    ...zstdOf(Buffer.alloc(1)).subarray(0, 5),
    0x78,
    0x05,
    0x08,
    0x00,
  ]);
  const layer = Buffer.concat([beginning, Buffer.alloc(256, 0xff)]);
  for (let i = 0; i < 100; i++) await expect(all(layer)).rejects.toBeInstanceOf(SourceError);
  expect(String(await all(zstdOf(Buffer.from('good'))))).toBe('good');
});

test('memory that damaged zstd layers leak is limited', async () => {
  const damaged = turnedBlock(zstdOf(Buffer.alloc(100, 'x')));
  const limits = { ...LIMITS, zstdLeakedBytes: 0 };
  await expect(all(damaged)).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  await expect(all(damaged, limits)).rejects.toMatchObject({ code: 'TOO_LARGE' });
});

test('a zstd window that is too large is reported as such, not as damage', async () => {
  const entries = [file('package.yaml', 'x')];
  const layer = await layerOf(entries, { compress: long31, annotations: BASE });
  const got = reading(imageOf([layer]));
  await expect(got).rejects.toMatchObject({
    code: 'TOO_LARGE',
    message: expect.stringContaining(`${2 ** 31} bytes`) as string,
  });
});

describe('limits', () => {
  const bomb = 'x'.repeat(4 << 20);
  const small: Limits = { ...LIMITS, unpackRatioFromBytes: 1 << 20 };

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
      limits: { ...LIMITS, unpackRatioFromBytes: 1 << 20 },
    },
  ])('$why', async ({ compress, limits, name = 'package.yaml' }) => {
    const entries = name === 'z' ? [file('package.yaml'), file(name, bomb)] : [file(name, bomb)];
    const image = imageOf([await layerOf(entries, { compress, annotations: BASE })]);
    await expect(reading(image, NEW, limits)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  test.each([
    { why: 'once a file', name: 'z', after: 0 },
    { why: 'behind the end of the tar', name: 'package.yaml', after: 4 << 20 },
  ])('skipped bytes count toward the limit: $why', async ({ name, after }) => {
    const limits = { ...LIMITS, unpackedBytes: 1 << 20 };
    const entries = [file('package.yaml', 'x'), ...(name === 'z' ? [file(name, bomb)] : [])];
    for (const compress of [asIs, gzipSync]) {
      const layer = await layerOf(entries, {
        compress: (tar) => compress(Buffer.concat([tar, Buffer.alloc(after, 'x')])),
        annotations: BASE,
      });
      await expect(reading(imageOf([layer]), NEW, limits)).rejects.toMatchObject({
        code: 'TOO_LARGE',
      });
    }
  });

  test.each([
    { why: 'in the header', name: 'n'.repeat(90), most: 80 },
    { why: 'in a header of its own', name: 'n/'.repeat(200), most: 300 },
  ])('a long name of a file, $why', async ({ name, most }) => {
    const image = imageOf([await marked(file('package.yaml'), file(`${name}x`))]);
    const limits = { ...LIMITS, tarNameChars: most };
    await expect(reading(image, NEW, limits)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(reading(image)).resolves.toMatchObject({ got: { status: 'read' } });
  });

  test('an endless name is rejected without buffering it', async () => {
    const image = imageOf([await marked(file('n'.repeat(5 << 20)))]);
    await expect(reading(image)).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });

  test('values at a limit are allowed', async () => {
    const image = imageOf([
      await layerOf([file('package.yaml', 'x'.repeat(1024))], {
        compress: asIs,
        annotations: BASE,
      }),
    ]);
    const { length } = image.blobs.at(-1)!.bytes;
    const exact = { layers: 1, tarEntries: 1, tarNameChars: 12, packageYamlBytes: 1024 };
    const limits = {
      ...LIMITS,
      ...exact,
      unpackedBytes: length,
      unpackRatio: 1,
      unpackRatioFromBytes: 0,
    };
    await expect(reading(image, NEW, limits)).resolves.toMatchObject({ got: { status: 'read' } });
  });

  test('a file that is too deep', async () => {
    await expect(reading(imageOf([await deep(256)]))).resolves.toMatchObject({
      got: { status: 'read' },
    });
    await expect(reading(imageOf([await deep(257)]))).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  test.each([
    { why: 'files', limits: { ...LIMITS, tarEntries: 10 } },
    { why: 'characters of names', limits: { ...LIMITS, tarNamesChars: 20 } },
  ])('too many $why in all layers of an image without a base layer', async ({ limits }) => {
    const layers = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        layerOf(Array.from({ length: 5 }, (_, i) => file(`${name}${i}`))),
      ),
    );
    const one = await reading(imageOf(layers.slice(0, 1)), NEW, limits);
    expect(one).toMatchObject({ got: { status: 'refused' } });
    await expect(reading(imageOf(layers), NEW, limits)).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
  });

  test('too many files', async () => {
    const image = imageOf([await marked(...Array.from({ length: 11 }, (_, i) => file(`f${i}`)))]);
    const limits = { ...LIMITS, tarEntries: 10 };
    await expect(reading(image, NEW, limits)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  test('too many layers or children', async () => {
    const limits = { ...LIMITS, layers: 2, indexChildren: 2 };
    const base = await marked(file('package.yaml'));
    const image = imageOf([base, base, base]);
    await expect(reading(image, NEW, limits)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    const index = indexOf(Array.from({ length: 3 }, () => ({ image: imageOf([base]) })));
    await expect(reading(index, NEW, limits)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });
});

/** Compressed as with `zstd --long=31`. */
function long31(tar: Uint8Array): Uint8Array {
  const packed = Buffer.from(zstdOf(tar));
  packed[5] = 21 << 3;
  return packed;
}

function halves(tar: Uint8Array): Uint8Array {
  return Buffer.concat([gzipSync(tar.subarray(0, 700)), gzipSync(tar.subarray(700))]);
}

function frames(tar: Uint8Array): Uint8Array {
  return Buffer.concat([zstdOf(tar.subarray(0, 700)), zstdOf(tar.subarray(700))]);
}

function followed(by: string): (tar: Uint8Array) => Uint8Array {
  return (tar) => Buffer.concat([gzipSync(tar), Buffer.from(by)]);
}

function turned(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  copy[copy.length >> 1]! ^= 0x55;
  return copy;
}

function asIs(bytes: Uint8Array): Uint8Array {
  return bytes;
}

function all(layer: Uint8Array, limits = LIMITS): Promise<Buffer> {
  return buffer(decompressLayer({ chunks: inChunks(layer, 50), size: layer.length }, 'x', limits));
}
