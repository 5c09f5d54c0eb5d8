import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { LIMITS, type Limits } from '../../../src/image/limits.js';
import { BASE, imageOf, indexOf, layerOf } from '../../support/registry/image.js';
import { contentOf, file, marked, NEW, reading } from '../../support/registry/reading.js';
import { zstdOf, zstdRle } from '../../support/registry/zstd.js';

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

test('a zstd window beyond what can be held is said to be that, not damage', async () => {
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
  ])('what is passed over counts as unpacked: $why', async ({ name, after }) => {
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

  test('a name that never ends is refused before it is held', async () => {
    const image = imageOf([await marked(file('n'.repeat(5 << 20)))]);
    await expect(reading(image)).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });

  test('what is at a limit is within it', async () => {
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

/** Packed as by `zstd --long=31`. */
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
