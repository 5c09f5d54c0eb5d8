import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildImage, builtRepository } from '../../src/oci/image/build-image.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { fetchImage } from '../../src/sources/images/fetch-image.js';
import { openXpkgSource } from '../../src/sources/images/image-source.js';
import { providerYaml } from '../support/package-yaml.js';
import {
  BASE,
  imageOf,
  indexOf,
  layerOf,
  packageImage,
  type Image,
} from '../support/registry/image.js';
import { writeTar } from '../support/registry/layout.js';
import { MemoryRepository } from '../support/registry/memory-repository.js';
import { zstdOf } from '../support/registry/zstd.js';
import { xpkgFiles } from '../support/registry/xpkg.js';

const AMD64 = { os: 'linux', architecture: 'amd64' };
const ARM64 = { os: 'linux', architecture: 'arm64' };
const pkg = (content = providerYaml('p')) => [{ name: 'package.yaml', content }];

async function nameOf(image: Image, release: string): Promise<string | undefined> {
  const got = await fetchImage(new MemoryRepository(image), 'v1', targetFor(release)!);
  return got?.contents.metas[0]?.name;
}

describe('index child selection', () => {
  test('an index without amd64 is not a package', async () => {
    const index = indexOf([{ image: await packageImage(providerYaml('p')), platform: ARM64 }]);
    expect(await nameOf(index, 'v2.3.4')).toBeUndefined();
  });

  test('an attachment without a platform is read as the package if it is first', async () => {
    const attachment = imageOf([await layerOf([{ name: 'readme.md' }])]);
    const index = indexOf([
      { image: attachment },
      { image: await packageImage(providerYaml('p')), platform: AMD64 },
    ]);
    const got = await fetchImage(new MemoryRepository(index), 'v1', targetFor('v2.3.4')!);
    expect(got?.manifest).toBe(attachment.digest);
    expect(got?.contents.problems[0]?.message).toMatch(/without a platform/);
  });

  test('amd64 is selected over arm64', async () => {
    const index = indexOf([
      { image: await packageImage(providerYaml('arm')), platform: ARM64 },
      { image: await packageImage(providerYaml('amd')), platform: AMD64 },
    ]);
    expect(await nameOf(index, 'v2.3.4')).toBe('amd');
  });
});

describe('base layer by annotation in registries, by label in .xpkg files', () => {
  test('a label in a .xpkg file marks its layer', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'base-layer-label-'));
    const files = await xpkgFiles([
      { entries: pkg(providerYaml('runtime')) },
      { entries: pkg(providerYaml('base')), label: 'base' },
      { entries: pkg(providerYaml('top')) },
    ]);
    const file = await writeTar(join(folder, 'p.xpkg'), files);
    const repository = 'xpkg.io/a/p';
    const source = await openXpkgSource(file, { repository, tag: 'v1.0.0' });
    const got = await source.fetch({ repository, version: 'v1.0.0' }, targetFor('v2.3.4')!);
    expect(got?.contents.metas[0]?.name).toBe('base');
    await rm(folder, { recursive: true });
  });

  test('a label without an annotation means nothing in a registry: the image is flattened', async () => {
    const base = await layerOf(pkg(providerYaml('base')));
    const top = await layerOf(pkg(providerYaml('top')));
    const labels = { [`io.crossplane.xpkg:${base.digest}`]: 'base' };
    const image = imageOf([base, top], JSON.stringify({ config: { Labels: labels } }));
    expect(await nameOf(image, 'v2.3.4')).toBe('top');
  });
});

describe('the name in the tar, and two base layers', () => {
  test('`./package.yaml` in an annotated layer is found from v2.0 on', async () => {
    const entries = [{ name: './package.yaml', content: providerYaml('p') }];
    const image = imageOf([await layerOf(entries, { annotations: BASE })]);
    expect(await nameOf(image, 'v1.20.0')).toBeUndefined();
    expect(await nameOf(image, 'v2.0.0')).toBe('p');
  });

  test('two base layers are an error up to v2.1, and the first wins after', async () => {
    const layers = ['first', 'second'].map((name) =>
      layerOf(pkg(providerYaml(name)), { annotations: BASE }),
    );
    const image = imageOf(await Promise.all(layers));
    expect(await nameOf(image, 'v2.1.8')).toBeUndefined();
    expect(await nameOf(image, 'v2.2.0')).toBe('first');
  });
});

function plain(tar: Uint8Array): Uint8Array {
  return tar;
}

async function problemOf(image: Image, release: string) {
  const got = await fetchImage(new MemoryRepository(image), 'v1', targetFor(release)!);
  return { problem: got?.contents.problems[0]?.message, unreadable: got?.unreadable };
}

describe('a layer that is not packed by gzip', () => {
  test.each([
    { how: 'a plain tar', compress: plain, says: 'a plain tar' },
    { how: 'zstd', compress: zstdOf, says: 'packed by zstd' },
  ])('$how: refused before v2.2, and accepted from then on', async ({ compress, says }) => {
    const layer = await layerOf(pkg(), { compress, annotations: BASE });
    const image = imageOf([layer]);
    for (const release of ['v1.14.0', 'v1.20.11', 'v2.1.5']) {
      const { problem } = await problemOf(image, release);
      expect(problem).toContain(
        `its layer is ${says}, and Crossplane before v2.2 reads gzip alone`,
      );
    }
    expect(await problemOf(image, 'v2.2.0')).toEqual({});
    expect(await problemOf(imageOf([layer, await layerOf([])]), 'v2.3.4')).toEqual({});
  });

  test('a package built from a folder keeps its locked digest, with a note that it must be published', async () => {
    const built = await buildImage(new TextEncoder().encode(providerYaml('p')));
    const images = builtRepository(built, 'x.io/a/p');
    const fetched = await fetchImage(images, built.manifest.digest, targetFor('v1.20.11')!);
    expect(fetched?.contents.problems).toEqual([]);
    expect(fetched?.unreadable).toContain('crossplane xpkg push');
    const later = await fetchImage(images, built.manifest.digest, targetFor('v2.2.0')!);
    expect(later?.unreadable).toBeUndefined();
  });
});
