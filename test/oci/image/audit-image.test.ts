import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { auditImage } from '../../../src/oci/image/audit-image.js';
import { sha256 } from '../../../src/base/digest.js';
import { LIMITS } from '../../../src/oci/image/limits.js';
import { BASE, imageOf, indexOf, layerOf, type Layer } from '../../support/registry/image.js';
import { MemoryRepository } from '../../support/registry/memory-repository.js';

const { rules } = targetFor('v2.3.4')!;
const AMD64 = { os: 'linux', architecture: 'amd64' };
const ARM64 = { os: 'linux', architecture: 'arm64' };

const base = (content: string) =>
  layerOf([{ name: 'package.yaml', content }], { annotations: BASE });
const runtime = (content: string) => layerOf([{ name: 'bin/provider', content }]);

function configOf(...diffIds: readonly string[]): string {
  return JSON.stringify({ rootfs: { type: 'layers', diff_ids: diffIds } });
}

const diffId = (layer: Layer) => sha256(gunzipSync(layer.bytes));

async function imageFor(content: string, extra = 'x') {
  const [layer, other] = [await base(content), await runtime(extra)];
  return imageOf([layer, other], configOf(diffId(layer), diffId(other)));
}

async function audit(image: ReturnType<typeof imageOf>, partial = false) {
  const repository = Object.assign(new MemoryRepository(image), { partial });
  const notes = await auditImage(repository, 'v1', rules);
  return { notes, asked: repository.asked };
}

describe('layers and config', () => {
  test('a base layer that matches its diffID is accepted, and no other layer is read', async () => {
    const [layer, other] = [await base('a'), await runtime('x')];
    const image = imageOf([other, layer], configOf(diffId(other), diffId(layer)));
    const { notes, asked } = await audit(image);
    expect(notes).toEqual([]);
    expect(asked).not.toContain(other.digest);
  });

  test('a layer with another diffID is an error with both digests', async () => {
    const layer = await base('a');
    const lie = sha256('something else');
    await expect(audit(imageOf([layer], configOf(lie)))).rejects.toMatchObject({
      code: 'BAD_IMAGE',
      message: expect.stringMatching(new RegExp(`${lie}.*${diffId(layer)}`)),
    });
  });

  test('is reported before a disagreement between platforms, whichever is found first', async () => {
    const lie = imageOf([await base('a')], configOf(sha256('something else')));
    const image = indexOf([
      { image: lie, platform: AMD64 },
      { image: await imageFor('b'), platform: ARM64 },
    ]);
    await expect(audit(image)).rejects.toThrow('contradicts itself');
  });

  test('the diffID of another layer does not match', async () => {
    const [layer, other] = [await base('a'), await runtime('x')];
    const image = imageOf([layer, other], configOf(diffId(other), diffId(layer)));
    await expect(audit(image)).rejects.toMatchObject({
      message: expect.stringContaining('contradicts itself'),
    });
  });

  test('a config with fewer layers than the manifest is rejected', async () => {
    const [layer, other] = [await base('a'), await runtime('x')];
    const image = imageOf([layer, other], configOf(diffId(layer)));
    await expect(audit(image)).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });

  test('an image without a base layer has each layer checked', async () => {
    const layer = await layerOf([{ name: 'package.yaml', content: 'a' }]);
    await expect(audit(imageOf([layer], configOf(sha256('other'))))).rejects.toMatchObject({
      message: expect.stringContaining('contradicts itself'),
    });
  });

  test('a config without diffIDs causes a note', async () => {
    const { notes } = await audit(imageOf([await base('a')], '{}'));
    expect(notes).toEqual([expect.stringContaining('lists no diffIDs')]);
  });

  test.each([
    { config: '{"rootfs":{"diff_ids":{}}}', why: '`rootfs.diff_ids`, which is not a list' },
    { config: 'not JSON', why: 'is not an object' },
    { config: '{"rootfs":{"diff_ids":[{"a":1}]}}', why: 'which is not a sha256 digest' },
    { config: '{"rootfs":{"diff_ids":[null]}}', why: 'which is not a sha256 digest' },
    { config: '{"rootfs":{},"RootFS":{}}', why: '`RootFS`, which differs from `rootfs` only' },
    { config: '{"config":{"User":7}}', why: '`config.User`, which is not a string' },
  ])('a config of $config is rejected, as Go does', async ({ config, why }) => {
    const error = { code: 'BAD_IMAGE', message: expect.stringContaining(why) };
    await expect(audit(imageOf([await base('a')], config))).rejects.toMatchObject(error);
  });

  test('a missing config is a note in a partial repository and an error elsewhere', async () => {
    const image = imageOf([await base('a')]);
    const [config] = image.blobs;
    const partial = { ...image, blobs: image.blobs.filter((blob) => blob !== config) };
    expect((await audit(partial, true)).notes).toEqual([expect.stringContaining('not at hand')]);
    await expect(audit(partial)).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });

  test('a diffID in a message is truncated', async () => {
    const image = imageOf([await base('a')], configOf('A'.repeat(200_000)));
    const failure = await audit(image).catch((error: unknown) => error);
    expect(String(failure).length).toBeLessThan(1_000);
  });

  test('a config over the limit is rejected before it is requested', async () => {
    const image = imageOf([await base('a')], `"${'x'.repeat(100)}"`);
    const repository = new MemoryRepository(image);
    const limits = { ...LIMITS, configBytes: 100 };
    await expect(auditImage(repository, 'v1', rules, limits)).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
    expect(repository.asked).toEqual([]);
  });
});

describe('platforms', () => {
  test('children with the same base layer agree, and it is read once', async () => {
    const shared = await base('a');
    const index = indexOf([
      { image: await imageFor('a', 'amd64'), platform: AMD64 },
      { image: await imageFor('a', 'arm64'), platform: ARM64 },
    ]);
    const { notes, asked } = await audit(index);
    expect(notes).toEqual([]);
    expect(asked.filter((digest) => digest === shared.digest)).toHaveLength(1);
  });

  test('children with different layers and the same package.yaml agree', async () => {
    const other = await layerOf(
      [
        { name: 'package.yaml', content: 'a' },
        { name: 'README.md', content: 'b' },
      ],
      { annotations: BASE },
    );
    const index = indexOf([
      { image: await imageFor('a'), platform: AMD64 },
      { image: imageOf([other]), platform: ARM64 },
    ]);
    expect((await audit(index)).notes).toEqual([]);
  });

  test('children with different package.yaml are rejected with both digests and the platform', async () => {
    const index = indexOf([
      { image: await imageFor('a'), platform: AMD64 },
      { image: await imageFor('b'), platform: ARM64 },
    ]);
    await expect(audit(index)).rejects.toMatchObject({
      code: 'BAD_IMAGE',
      message: expect.stringMatching(new RegExp(`${sha256('a')}.*${sha256('b')}.*linux/arm64`)),
    });
  });

  test('a disagreement in a nested index is found', async () => {
    const inner = indexOf([{ image: await imageFor('b'), platform: ARM64 }]);
    const index = indexOf([
      { image: await imageFor('a'), platform: AMD64 },
      { image: inner, platform: ARM64 },
    ]);
    await expect(audit(index)).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });

  test('attestations are not compared', async () => {
    const index = indexOf([
      { image: await imageFor('a'), platform: AMD64 },
      { image: await imageFor('b'), platform: { os: 'unknown', architecture: 'unknown' } },
    ]);
    expect((await audit(index)).notes).toEqual([]);
  });

  test('a missing platform is a note in a partial repository and an error elsewhere', async () => {
    const arm = await imageFor('b');
    const index = indexOf([
      { image: await imageFor('a'), platform: AMD64 },
      { image: arm, platform: ARM64 },
    ]);
    const partial = {
      ...index,
      manifests: index.manifests.filter(({ digest }) => digest !== arm.digest),
    };
    expect((await audit(partial, true)).notes).toEqual([expect.stringContaining('linux/arm64')]);
    await expect(audit(partial)).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });

  test.each([
    { content: 'a', agrees: true },
    { content: 'b', agrees: false },
  ])('a platform without a base layer is flattened: $content', async ({ content, agrees }) => {
    const layer = await layerOf([{ name: 'package.yaml', content }]);
    const index = indexOf([
      { image: await imageFor('a'), platform: AMD64 },
      { image: imageOf([layer]), platform: ARM64 },
    ]);
    const audited = audit(index);
    if (agrees) expect((await audited).notes).toEqual([]);
    else await expect(audited).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });
});
