import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { friendlyId } from '../../../src/crossplane/packages/object-names.js';
import type { Repository } from '../../../src/crossplane/packages/package.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { openCrossplaneCache } from '../../../src/sources/images/crossplane-cache-source.js';
import { openLayoutSource, openXpkgSource } from '../../../src/sources/images/image-source.js';
import { providerYaml } from '../../support/package-yaml.js';
import { blobOf, imageOf, indexOf, packageImage } from '../../support/registry/image.js';
import { layoutFiles, named, writeFiles, writeTar } from '../../support/registry/layout.js';
import { zstdOf } from '../../support/registry/zstd.js';
import { xpkgFiles } from '../../support/registry/xpkg.js';

const TARGET = targetFor('v2.3.4')!;
const one = await packageImage(providerYaml('one', 'a.example.org'));
const two = indexOf([{ image: await packageImage(providerYaml('two', 'b.example.org')) }]);
const P = 'xpkg.io/a/p';
const Q = 'xpkg.io/a/q';

let root: string;
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'local-images-'));
});

afterAll(() => rm(root, { recursive: true }));

function fresh(): string {
  return join(root, String((count += 1)));
}

function path(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function quiet(name?: { repository: Repository; tag: string | undefined }) {
  return { shown: 'layout:X', name, note: () => undefined };
}

describe('a layout', () => {
  const full = layoutFiles([
    { image: one, annotations: named('xpkg.io/a/p:v1.0.0') },
    { image: two, annotations: named('xpkg.io/a/q:v2.0.0') },
  ]);

  test.each([
    { form: 'folder', open: () => writeFiles(fresh(), full) },
    { form: 'tar', open: () => writeTar(fresh(), full) },
    {
      form: 'tar with dots before every name',
      open: () => writeTar(fresh(), new Map([...full].map(([name, x]) => [`./${name}`, x]))),
    },
  ])('as a $form holds several repositories', async ({ open }) => {
    const source = await openLayoutSource(await open());
    expect(await source.repositories?.()).toEqual([P, Q]);
    expect(await source.tags(P, TARGET)).toEqual(['v1.0.0']);
    expect(await source.tags('xpkg.io/a/r', TARGET)).toBeUndefined();
    const got = await source.fetch({ repository: Q, version: 'v2.0.0' }, TARGET);
    expect(got).toMatchObject({ digest: two.digest, manifest: two.manifests[0]!.digest });
    expect(got?.contents.objects).toMatchObject([{ name: 'b.example.org' }]);
    expect(await source.fetch({ repository: P, version: 'v9.0.0' }, TARGET)).toBeUndefined();
    const byDigest = await source.fetch({ repository: P, version: one.digest }, TARGET);
    expect(byDigest?.digest).toBe(one.digest);
    expect(await source.owners?.({ crd: 'b.example.org' }, TARGET)).toEqual([
      { repository: Q, versions: ['v2.0.0'] },
    ]);
  });

  test.each([
    { why: 'a bare tag', annotations: named('v1.0.0'), tag: undefined, want: ['v1.0.0'] },
    { why: 'no name, a tag given', annotations: {}, tag: 'v1.0.0', want: ['v1.0.0'] },
    { why: 'no name, no tag', annotations: {}, tag: undefined, want: [] },
    {
      why: 'containerd’s full name beside a bare tag',
      annotations: { ...named('v1.0.0'), 'io.containerd.image.name': 'xpkg.io/a/p:v1.0.0' },
      tag: undefined,
      want: ['v1.0.0'],
    },
  ])('whose image has $why, with the repository given', async ({ annotations, tag, want }) => {
    const folder = await writeFiles(fresh(), layoutFiles([{ image: one, annotations }]));
    const source = await openLayoutSource(folder, quiet({ repository: P, tag }));
    expect(await source.tags(P, TARGET)).toEqual(want);
    const version = want[0] ?? one.digest;
    expect(await source.fetch({ repository: P, version }, TARGET)).toMatchObject({
      digest: one.digest,
    });
  });

  test('in which nothing has a name is an error with a hint', async () => {
    const files = layoutFiles([{ image: one, annotations: named('v1.0.0') }]);
    const folder = await writeFiles(fresh(), files);
    await expect(openLayoutSource(folder, quiet())).rejects.toMatchObject({
      name: 'InputError',
      hint: expect.stringContaining('layout:X=REPOSITORY') as string,
    });
  });

  test('with an invalid tag shows it escaped and ignores it', async () => {
    const files = layoutFiles([{ image: one, annotations: named('\u001b[2Jv1.0.0') }]);
    const opening = openLayoutSource(
      await writeFiles(fresh(), files),
      quiet({ repository: P, tag: undefined }),
    );
    await expect(opening).rejects.toMatchObject({
      message: expect.not.stringContaining('\u001b') as string,
    });
  });

  test('with some unnamed images is read with a note', async () => {
    const notes: string[] = [];
    const folder = await writeFiles(
      fresh(),
      layoutFiles([
        { image: one, annotations: named('xpkg.io/a/p:v1.0.0') },
        { image: two, annotations: named('v2.0.0') },
      ]),
    );
    const source = await openLayoutSource(folder, {
      ...quiet(),
      note: (line) => notes.push(line),
    });
    expect(await source.repositories?.()).toEqual([P]);
    expect(notes).toHaveLength(1);
  });

  test('is searched for owners of a CRD, ignoring other images', async () => {
    const signature = imageOf([blobOf('{}')]);
    const types = { artifactType: 'application/vnd.me', layer: 'text/markdown' };
    const artifact = imageOf([blobOf('text')], '{}', types);
    const files = layoutFiles([
      { image: one, annotations: named(`${P}:v1.0.0`) },
      { image: signature, annotations: named(`${P}:${one.digest.replace(':', '-')}.sig`) },
      { image: artifact, annotations: named(`${P}:docs`) },
    ]);
    const source = await openLayoutSource(await writeFiles(fresh(), files), quiet());
    expect(await source.owners?.({ crd: 'a.example.org' }, TARGET)).toEqual([
      { repository: P, versions: ['v1.0.0'] },
    ]);
  });

  const layer = one.blobs.at(-1)!;

  const oneByteMore = String(full.get('index.json')).replace(
    `"size":${one.bytes.length}`,
    `"size":${one.bytes.length + 1}`,
  );

  test.each([
    {
      why: 'a layer changed, its length kept',
      change: [path(layer.digest), 'x'.repeat(layer.bytes.length)],
      code: 'BAD_DIGEST',
    },
    {
      why: 'a manifest changed, its length kept',
      change: [path(one.digest), 'x'.repeat(one.bytes.length)],
      code: 'BAD_DIGEST',
    },
    {
      why: 'a manifest said to have one byte more',
      change: ['index.json', oneByteMore],
      code: 'BAD_DIGEST',
    },
    { why: 'a layer gone', change: [path(layer.digest), undefined], code: 'BAD_IMAGE' },
    { why: 'a manifest gone', change: [path(one.digest), undefined], code: 'BAD_SOURCE' },
  ] as const)('with $why fails: $code', async ({ change: [file, content], code }) => {
    const files = new Map(full);
    if (content === undefined) files.delete(file);
    else files.set(file, content);
    for (const open of [writeFiles(fresh(), files), writeTar(fresh(), files)]) {
      const source = await openLayoutSource(await open, quiet());
      await expect(
        source.fetch({ repository: P, version: 'v1.0.0' }, TARGET),
      ).rejects.toMatchObject({ code });
    }
  });

  test.each([
    { why: 'no oci-layout', files: new Map([['index.json', '{"manifests":[]}']]) },
    { why: 'no index', files: new Map([['oci-layout', '{}']]) },
    { why: 'an index that is none', files: new Map([...full, ['index.json', '[]']]) },
    {
      why: 'one name for two images',
      files: layoutFiles([
        { image: one, annotations: named('xpkg.io/a/p:v1.0.0') },
        { image: two, annotations: named('xpkg.io/a/p:v1.0.0') },
      ]),
    },
  ])('with $why is refused', async ({ files }) => {
    const folder = await writeFiles(fresh(), files);
    await expect(openLayoutSource(folder, quiet())).rejects.toMatchObject({ code: 'BAD_SOURCE' });
  });

  test('that is missing is an input error', async () => {
    await expect(openLayoutSource(fresh())).rejects.toMatchObject({ name: 'InputError' });
  });

  test.each([
    { by: 'gzip', pack: gzipSync },
    { by: 'zstd', pack: zstdOf },
  ])('in a tar that is compressed with $by is rejected, with a hint', async ({ by, pack }) => {
    const file = await writeTar(fresh(), full);
    await writeFile(file, pack(await readFile(file)));
    await expect(openLayoutSource(file, quiet())).rejects.toMatchObject({
      code: 'BAD_SOURCE',
      hint: expect.stringContaining(by) as string,
    });
  });

  test('that is not a tar is rejected', async () => {
    const file = fresh();
    await writeFile(file, 'hello '.repeat(1000));
    await expect(openLayoutSource(file, quiet())).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });
});

describe('a .xpkg file', () => {
  const options = { shown: 'xpkg:X', repository: P, tag: 'v1.0.0' };
  const base = { entries: [{ name: 'package.yaml', content: providerYaml('p') }], label: 'base' };
  const examples = { entries: [{ name: '.up/examples.yaml', content: 'x' }], label: 'upbound' };

  test('is the only version of its repository, with the digest after a push', async () => {
    const files = await xpkgFiles([base, examples]);
    const source = await openXpkgSource(await writeTar(fresh(), files), options);
    expect(await source.tags(P, TARGET)).toEqual(['v1.0.0']);
    const got = await source.fetch({ repository: P, version: 'v1.0.0' }, TARGET);
    expect(got?.contents.metas).toMatchObject([{ name: 'p' }]);
    const [config, layer, up] = [...files.keys()];
    const layerOf = (name: string, mark: string) => ({
      mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
      size: files.get(name)!.length,
      digest: `sha256:${name.slice(0, 64)}`,
      annotations: { 'io.crossplane.xpkg': mark },
    });
    const pushed = JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
      config: {
        mediaType: 'application/vnd.docker.container.image.v1+json',
        size: files.get(config!)!.length,
        digest: config,
      },
      layers: [layerOf(layer!, 'base'), layerOf(up!, 'upbound')],
    });
    expect(got?.digest).toBe(blobOf(pushed).digest);
    expect(got?.baseLayer).toBe(`sha256:${layer!.slice(0, 64)}`);
  });

  test('with a layer that does not match its name fails', async () => {
    const files = await xpkgFiles([base]);
    const layer = [...files.keys()][1]!;
    files.set(layer, 'x');
    const source = await openXpkgSource(await writeTar(fresh(), files), options);
    await expect(source.fetch({ repository: P, version: 'v1.0.0' }, TARGET)).rejects.toMatchObject({
      code: 'BAD_DIGEST',
    });
  });

  test.each([
    { why: 'no manifest.json', files: new Map([['x', 'y']]) },
    { why: 'no image', files: new Map([['manifest.json', '[]']]) },
    { why: 'two images', files: new Map([['manifest.json', '[{},{}]']]) },
    { why: 'no layers', files: new Map([['manifest.json', '[{"Config":"x"}]']]) },
    {
      why: 'a config that is not there',
      files: new Map([['manifest.json', '[{"Config":"x","Layers":[]}]']]),
    },
  ])('with $why is refused', async ({ files }) => {
    const file = await writeTar(fresh(), files);
    await expect(openXpkgSource(file, options)).rejects.toMatchObject({ code: 'BAD_SOURCE' });
  });
});

describe('Crossplane’s package cache', () => {
  const digest = one.digest;
  const yaml = providerYaml('p');

  async function cacheWith(file: string, content: Uint8Array = gzipSync(yaml)) {
    const folder = fresh();
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), content);
    return openCrossplaneCache(folder, 'cache:X');
  }

  test.each([
    { why: 'image and digest', file: `${friendlyId(P, digest)}.gz`, version: digest },
    { why: 'revision', file: `${friendlyId('a-p', digest.slice(7))}.gz`, version: digest },
    { why: 'the whole reference', file: `${P}@${digest}.gz`, version: digest },
    { why: 'a reference that lost its patch', file: `${P}:v1.2.gz`, version: 'v1.2.3' },
  ])('finds a file named after $why', async ({ file, version }) => {
    const source = await cacheWith(file);
    const got = await source.fetch({ repository: P, version }, TARGET);
    expect(got?.contents.metas).toMatchObject([{ name: 'p' }]);
    expect(got).toMatchObject({
      digest: version === digest ? digest : undefined,
      packageYaml: blobOf(yaml).digest,
      notes: [expect.any(String) as string],
    });
  });

  describe('a reference without a tag', () => {
    const bare = { repository: 'mycoolpkg', version: 'latest' };

    test('is the file of that name', async () => {
      const source = await cacheWith('mycoolpkg.gz');
      const got = await source.fetch(bare, TARGET);
      expect(got?.contents.metas).toMatchObject([{ name: 'p' }]);
      expect(got?.notes?.join()).toContain('`cache:X/mycoolpkg.gz`');
      expect(await source.fetch({ ...bare, version: 'v1.0.0' }, TARGET)).toBeUndefined();
    });

    test('is an .xpkg file of that name, which the cluster does not open', async () => {
      const folder = fresh();
      await mkdir(folder);
      const base = { entries: [{ name: 'package.yaml', content: yaml }], label: 'base' } as const;
      await writeTar(join(folder, 'mycoolpkg.xpkg'), await xpkgFiles([base]));
      const source = await openCrossplaneCache(folder, 'cache:X');
      const got = await source.fetch(bare, TARGET);
      expect(got?.contents.metas).toMatchObject([{ name: 'p' }]);
      expect(got?.notes?.join()).toContain('Crossplane opens `mycoolpkg.gz`');
      expect(await source.fetch({ ...bare, version: 'v1.0.0' }, TARGET)).toBeUndefined();
    });
  });

  test('has no tag lists, so that other sources provide them', async () => {
    const source = await cacheWith(`${P}:v1.2.gz`);
    expect(await source.tags(P, TARGET)).toBeUndefined();
    expect(await source.fetch({ repository: P, version: 'v2.0.0' }, TARGET)).toBeUndefined();
    expect(await source.fetch({ repository: Q, version: digest }, TARGET)).toBeUndefined();
  });

  test.each([
    { why: 'cut off', content: gzipSync(yaml).subarray(0, -9), code: 'BAD_IMAGE' },
    { why: 'empty', content: new Uint8Array(), code: 'BAD_SOURCE' },
  ])('a file that is $why fails', async ({ content, code }) => {
    const source = await cacheWith(`${P}@${digest}.gz`, content);
    await expect(source.fetch({ repository: P, version: digest }, TARGET)).rejects.toMatchObject({
      code,
    });
  });

  test('that is missing or a file is an input error', async () => {
    const file = fresh();
    await writeFile(file, '');
    for (const path of [fresh(), file]) {
      await expect(openCrossplaneCache(path, 'cache:X')).rejects.toMatchObject({
        name: 'InputError',
      });
    }
  });
});

describe('files over a limit are rejected without reading them', () => {
  const MIB = 1 << 20;
  const refs = named('xpkg.io/a/p:v1.0.0');
  const candidate = { repository: P, version: 'v1.0.0' };
  const layer = one.blobs.at(-1)!;

  /** A layout with one sparse file that appears larger. */
  async function grown(file: string, size: number): Promise<string> {
    const folder = await writeFiles(fresh(), layoutFiles([{ image: one, annotations: refs }]));
    await truncate(join(folder, file), size);
    return folder;
  }

  const fetching = async (folder: string) =>
    (await openLayoutSource(folder, quiet())).fetch(candidate, TARGET);

  test.each([
    { why: 'the index of a layout', file: 'index.json', limit: 16 * MIB, within: 'BAD_SOURCE' },
    { why: 'a manifest', file: path(one.digest), limit: 4 * MIB, within: 'BAD_DIGEST' },
    { why: 'a layer', file: path(layer.digest), limit: 512 * MIB, within: undefined },
  ])('$why', async ({ file, limit, within }) => {
    await expect(fetching(await grown(file, limit + 1))).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
    if (within === undefined) return;
    await expect(fetching(await grown(file, limit))).rejects.toMatchObject({ code: within });
  });

  const opening = async (files: ReadonlyMap<string, string | Uint8Array>) =>
    openXpkgSource(await writeTar(fresh(), files), { shown: 'x.xpkg', repository: P, tag: 'v1' });

  test.each([
    { why: 'the manifest of a `.xpkg`', files: [['manifest.json', ' '.repeat(4 * MIB + 1)]] },
    {
      why: 'its config',
      files: [
        ['manifest.json', '[{"Config":"c","Layers":[]}]'],
        ['c', ' '.repeat(4 * MIB + 1)],
      ],
    },
    {
      why: 'the list of its layers',
      files: [
        ['manifest.json', JSON.stringify([{ Config: 'c', Layers: Array(1025).fill('l') }])],
        ['c', '{}'],
        ['l', 'x'],
      ],
    },
  ] as const)('$why', async ({ files }) => {
    await expect(opening(new Map<string, string>(files as never))).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
  });

  test('a config at the limit is read', async () => {
    const config = `{}${' '.repeat(4 * MIB - 2)}`;
    const files = new Map([
      ['manifest.json', '[{"Config":"c","Layers":[]}]'],
      ['c', config],
    ]);
    await expect(opening(files)).resolves.toBeDefined();
  });
});
