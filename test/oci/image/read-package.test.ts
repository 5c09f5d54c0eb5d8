import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { locatePackage } from '../../../src/oci/image/locate-package.js';
import { readPackage } from '../../../src/oci/image/read-package.js';
import {
  BASE,
  blobOf,
  imageOf,
  indexOf,
  layerOf,
  packageImage,
  tarOf,
  type TarEntry,
} from '../../support/registry/image.js';
import { MemoryRepository } from '../../support/registry/memory-repository.js';
import {
  contentOf,
  file,
  marked,
  NEW,
  OLD,
  plain,
  reading,
  V2,
} from '../../support/registry/reading.js';

const AMD64 = { os: 'linux', architecture: 'amd64' };
const ARM64 = { os: 'linux', architecture: 'arm64' };

const images = { a: await packageImage('a'), b: await packageImage('b') };

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

  test('the digest is that of the index, and the child is returned', async () => {
    const index = indexOf([{ image: images.b, platform: AMD64 }]);
    const located = await locatePackage(new MemoryRepository(index), 'v1', NEW);
    expect(located).toMatchObject({ digest: index.digest, manifest: images.b.digest });
    const single = await locatePackage(new MemoryRepository(images.b), 'v1', NEW);
    expect(single).toMatchObject({ digest: images.b.digest, manifest: undefined });
  });

  test('platforms in messages are escaped', async () => {
    const platform = { os: '\u001b[2J', architecture: 'x'.repeat(1000) };
    const { got } = await reading(indexOf([{ image: images.a, platform }]));
    expect(got).toMatchObject({ status: 'refused', why: expect.not.stringContaining('\u001b') });
    expect(JSON.stringify(got).length).toBeLessThan(400);
  });

  test('nested indexes are followed up to a limit', async () => {
    let tower = images.a;
    const depths = [];
    for (let depth = 0; depth < 6; depth += 1) {
      tower = indexOf([{ image: tower, platform: AMD64 }]);
      depths.push(contentOf(tower).catch((error: { code: string }) => error.code));
    }
    expect(await Promise.all(depths)).toEqual(['a', 'a', 'a', 'a', 'BAD_IMAGE', 'BAD_IMAGE']);
  });
});

async function firstChunk(stream: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const _ of stream) return 'enough';
  return 'nothing';
}

describe('the base layer', () => {
  test('is the only layer that is requested', async () => {
    const base = await marked(file('package.yaml', 'x'));
    const image = imageOf([await plain(file('bin')), base, await plain(file('examples'))]);
    const { got, asked } = await reading(image);
    expect(got).toMatchObject({ value: 'x', baseLayer: base.digest, notes: [] });
    expect(got).toMatchObject({ packageYaml: blobOf('x').digest });
    expect(asked).toEqual([base.digest]);
  });

  test('is identified by the digest of the whole package.yaml, even if the reader stops early', async () => {
    const long = 'x'.repeat(10 * 2 ** 20);
    const image = imageOf([await marked(file('package.yaml', long), file('z'))]);
    const repository = new MemoryRepository(image);
    const located = (await locatePackage(repository, 'v1', NEW))!;
    const got = await readPackage(repository, located, NEW, { read: firstChunk });
    expect(got).toMatchObject({ value: 'enough', packageYaml: blobOf(long).digest });
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

  test('needs the annotation value `base`', async () => {
    const layer = await layerOf([file('package.yaml', 'x')], {
      annotations: { 'io.crossplane.xpkg': 'Base' },
    });
    expect((await reading(imageOf([layer]))).got).toMatchObject({ baseLayer: undefined });
  });

  test('is read whatever else the image claims; without one, layers that unpack are searched', async () => {
    const types = { artifactType: 'application/vnd.me', config: 'application/json' };
    const base = await marked(file('package.yaml', 'x'));
    const bare = { ...base, annotations: {} };
    expect(await contentOf(imageOf([base], '{}', types))).toBe('x');
    expect(await contentOf(imageOf([bare], '{}', types))).toBe('x');
    const document = await reading(imageOf([bare], '{}', { ...types, layer: 'text/markdown' }));
    expect(document).toMatchObject({ got: { status: 'refused' }, asked: [] });
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

  test('in several folders: v2 reads the first, earlier releases the exact one, with a note', async () => {
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
  ])('a duplicate path is an integrity failure: $why', async ({ entries }) => {
    for (const rules of [OLD, NEW]) {
      await expect(reading(imageOf([await marked(...entries)]), rules)).rejects.toMatchObject({
        code: 'BAD_IMAGE',
      });
    }
  });

  test('a duplicate folder is allowed', async () => {
    const folder = { name: 'crds/', type: 'directory' } as const;
    expect(
      await contentOf(imageOf([await marked(folder, folder, file('package.yaml', 'x'))])),
    ).toBe('x');
  });

  test.each([
    { type: 'symlink', linkname: '/etc/passwd' },
    { type: 'link', linkname: '/etc/passwd' },
    { type: 'character-device' },
    { type: 'block-device' },
    { type: 'fifo' },
    { type: 'directory' },
  ] as const)(
    'a $type of that name is empty: it is neither followed nor created',
    async (entry) => {
      expect(await contentOf(imageOf([await marked({ name: 'package.yaml', ...entry })]))).toBe('');
    },
  );

  test('a duplicate link, or a link with the name of a file, is a duplicate path', async () => {
    const link = { name: 'package.yaml', type: 'symlink', linkname: 'x' } as const;
    for (const entries of [
      [link, link],
      [link, file('package.yaml')],
    ]) {
      await expect(reading(imageOf([await marked(...entries)]))).rejects.toMatchObject({
        code: 'BAD_IMAGE',
      });
    }
  });

  test.each([
    { why: 'a short name', name: 'package.yaml' },
    { why: 'a name that takes a header of its own', name: `${'d/'.repeat(200)}package.yaml` },
  ])('after the end of the tar is ignored: $why', async ({ name }) => {
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

  test.each([
    { why: 'a few bytes', after: 'garbage' },
    { why: 'a block', after: 'x'.repeat(512) },
    { why: 'many blocks', after: 'garbage '.repeat(100_000) },
    { why: 'a block of zeros and a part of one', after: '\0'.repeat(700) },
  ])('bytes after the end of the tar are ignored, as in Go: $why', async ({ after }) => {
    for (const compress of [asIs, gzipSync]) {
      const layer = await layerOf([file('package.yaml', 'x')], {
        compress: (tar) => compress(Buffer.concat([tar, Buffer.from(after)])),
        annotations: BASE,
      });
      expect(await contentOf(imageOf([layer]))).toBe('x');
    }
  });

  test('one block of zeros does not end a tar: following data is damage', async () => {
    const layer = await layerOf([file('package.yaml', 'x')], {
      compress: (tar) => Buffer.concat([tar.subarray(0, -512), Buffer.from('x'.repeat(512))]),
      annotations: BASE,
    });
    await expect(reading(imageOf([layer]))).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });

  test('zeros inside a file do not end the tar', async () => {
    const zeros = file('a.bin', '\0'.repeat(10_000));
    const image = imageOf([
      await marked(zeros, file('b.bin', '\0'.repeat(1024)), file('package.yaml', 'x')),
    ]);
    expect(await contentOf(image)).toBe('x');
  });

  test('a long name does not hide a file', async () => {
    const image = imageOf([await marked(file(`${'d/'.repeat(120)}package.yaml`, 'x'))]);
    expect(await contentOf(image, NEW)).toBe('x');
    expect(await contentOf(image, OLD)).toBeUndefined();
  });
});

describe('the flattened file system', () => {
  const pkg = file('package.yaml', 'x');

  test('is read from the top, no further than needed, with a note', async () => {
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
});

describe('invalid manifests', () => {
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
      why: 'a digest that this tool cannot check',
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
    { why: 'an index of nothing', body: '{"schemaVersion":2,"manifests":[]}' },
    { why: 'a child that is not there', body: JSON.stringify({ manifests: [layer] }) },
  ])('$why', async ({ body }) => {
    const image = { ...blobOf(body), mediaType: 'x', manifests: [], blobs: [] };
    await expect(reading(image)).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });

  test('a child with a wrong size in its index', async () => {
    const child = await packageImage('x');
    const index = indexOf([{ image: child }]);
    const lying = JSON.stringify({
      manifests: [{ digest: child.digest, size: child.bytes.length + 1 }],
    });
    const image = { ...index, ...blobOf(lying) };
    await expect(reading(image)).rejects.toMatchObject({ code: 'BAD_DIGEST' });
  });
});

function asIs(bytes: Uint8Array): Uint8Array {
  return bytes;
}
