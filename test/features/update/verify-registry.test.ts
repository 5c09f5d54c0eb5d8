import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { sha256 } from '../../../src/base/digest.js';
import { instead, on, status } from '../../support/registry/faults.js';
import {
  BASE,
  imageOf,
  indexOf,
  layerOf,
  packageImage,
  type Image,
  OCI_INDEX,
} from '../../support/registry/image.js';
import { Registry, type RegistryOptions } from '../../support/registry/registry.js';
import { VerifyFolder } from '../../support/verify-folder.js';

let at: VerifyFolder;

beforeEach(() => {
  at = new VerifyFolder();
});

afterEach(() => at.remove());

const run: VerifyFolder['run'] = (...args) => at.run(...args);
const report: VerifyFolder['report'] = (...args) => at.report(...args);

const meta = (name: string) =>
  JSON.stringify({
    apiVersion: 'meta.pkg.crossplane.io/v1',
    kind: 'Provider',
    metadata: { name },
    spec: {},
  });

async function honest(name: string): Promise<Image> {
  const layer = await layerOf([{ name: 'package.yaml', content: meta(name) }], {
    annotations: BASE,
  });
  const diffId = sha256(gunzipSync(layer.bytes));
  return imageOf([layer], JSON.stringify({ rootfs: { diff_ids: [diffId] } }));
}

describe('with packages in a registry', () => {
  let registry: Registry;
  const AMD64 = { os: 'linux', architecture: 'amd64' };
  const ARM64 = { os: 'linux', architecture: 'arm64' };
  async function start(image: Image, options?: RegistryOptions): Promise<void> {
    registry = (await new Registry(options).start()).push('a/p', 'v1.0.0', image);
  }

  const ref = () => `${registry.host}/a/p@v1.0.0`;
  const cache = ['--cache', 'cache'];
  const lock = () => run('resolve', ref(), '--crossplane', 'v2.3.4', ...cache);
  const check = (...more: readonly string[]) =>
    run('verify', ref(), '--crossplane', 'v2.3.4', ...cache, ...more);

  afterEach(() => registry.stop());

  test('reads everything once from the registry, even if it is cached', async () => {
    const image = await honest('p');
    await start(image);
    expect((await lock()).code).toBe(0);
    registry.log.length = 0;
    expect(await check()).toMatchObject({ code: 0, stderr: '' });
    const [config, layer] = image.blobs.map(({ digest }) => digest);
    expect(registry.asked.filter((line) => !line.endsWith(' /v2/'))).toEqual([
      'GET /v2/a/p/manifests/v1.0.0',
      `GET /v2/a/p/blobs/${layer}`,
      `GET /v2/a/p/blobs/${config}`,
    ]);
  });

  test('--offline verifies the cache without any request', async () => {
    await start(await honest('p'));
    await lock();
    registry.log.length = 0;
    const { code, stderr } = await check('--offline');
    expect(code).toBe(0);
    expect(stderr).toContain('tags are as they were');
    expect(registry.log).toEqual([]);
  });

  test('distinguishes a moved tag from missing bytes: the locked image still exists', async () => {
    await start(await honest('p'));
    await lock();
    const other = await honest('q');
    registry.push('a/p', 'v1.0.0', other);
    registry.log.length = 0;
    const { code, stderr } = await check();
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toContain('still there');
    expect(stderr).toContain(`found:  ${other.digest}`);
    expect(registry.asked.some((line) => line.includes(other.blobs[1]!.digest))).toBe(false);
  });

  test('a moved tag stops --locked with the same message and both digests', async () => {
    const image = await honest('p');
    await start(image);
    await lock();
    const other = await honest('q');
    registry.push('a/p', 'v1.0.0', other);
    const { code, stderr } = await run('resolve', ref(), '--crossplane', 'v2.3.4', '--locked');
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toContain('SECURITY');
    expect(stderr).toContain(`locked: ${image.digest}`);
    expect(stderr).toContain(`found:  ${other.digest}`);
  });

  test('an invalid image is a failing registry, not a moved tag', async () => {
    let broken = false;
    const nothing = instead('{"schemaVersion":2,"manifests":[]}', { 'Content-Type': OCI_INDEX });
    const fault = on('manifests/v1.0.0', (...args) => broken && nothing(...args));
    await start(await honest('p'), { faults: [fault] });
    await lock();
    broken = true;
    const { code, stderr } = await check();
    expect(code).toBe(EXIT.sourceFailed);
    expect(stderr).toContain('its index names no image at all');
    expect(stderr).not.toContain('SECURITY');
  });

  test('wrong bytes are corruption: the source failed, with another message', async () => {
    const image = await honest('p');
    const [, layer] = image.blobs;
    let broken = false;
    const fault = on(
      layer!.digest,
      (...args) => broken && instead(Buffer.alloc(layer!.bytes.length))(...args),
    );
    await start(image, { faults: [fault] });
    await lock();
    broken = true;
    const { code, stderr } = await check();
    expect(code).toBe(EXIT.sourceFailed);
    expect(stderr).toContain('SECURITY: bytes are not what their digest says');
    expect(stderr).not.toContain('tag');
  });

  test('an image with contradicting config and layer can be resolved, but not verified', async () => {
    const layer = await layerOf([{ name: 'package.yaml', content: meta('p') }], {
      annotations: BASE,
    });
    await start(imageOf([layer], JSON.stringify({ rootfs: { diff_ids: [sha256('x')] } })));
    expect((await lock()).code).toBe(0);
    expect(await check()).toMatchObject({
      code: EXIT.sourceFailed,
      stderr: expect.stringContaining('contradicts itself'),
    });
  });

  test('an index with different children is resolved as by Crossplane, but not verified', async () => {
    await start(
      indexOf([
        { image: await honest('p'), platform: AMD64 },
        { image: await honest('q'), platform: ARM64 },
      ]),
    );
    expect((await lock()).code).toBe(0);
    expect(await check()).toMatchObject({
      code: EXIT.sourceFailed,
      stderr: expect.stringContaining('platforms disagree'),
    });
  });

  test('an image without its config cannot be pulled completely, and is not verified', async () => {
    const image = await honest('p');
    const config = image.blobs[0]!.digest;
    let gone = false;
    const fault = on(config, (...args) => gone && status(404)(...args));
    await start(image, { faults: [fault] });
    await lock();
    gone = true;
    expect(await check()).toMatchObject({
      code: EXIT.sourceFailed,
      stderr: expect.stringContaining(config),
    });
  });

  test('a missing lockfile in a registry is missing, not invalid input', async () => {
    await start(await honest('p'));
    const { code } = await check('--lock', `oci://${registry.host}/team/lock:v1`);
    expect(code).toBe(EXIT.lockMismatch);
  });

  test('reads a lockfile without digests and reports them', async () => {
    await start(await honest('p'));
    await lock();
    await at.editLock(/ +digest: .*\n/, '');
    const { code, stderr } = await check();
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toContain('does not say its digest');
    expect(stderr).not.toContain('refuses');
    expect((await check('--allow-undigested', '--no-bundle')).code).toBe(0);
  });

  test('verifies the available parts of a vendored layout', async () => {
    await start(
      indexOf([
        { image: await honest('p'), platform: AMD64 },
        { image: await honest('p'), platform: ARM64 },
      ]),
    );
    await lock();
    expect((await run('vendor', 'world', ...cache)).code).toBe(0);
    const { code, stderr } = await check('--from', 'layout:world', '--offline');
    expect(code).toBe(0);
    expect(stderr).toContain('not at hand');
    expect((await run('vendor', 'whole', '--full', ...cache)).code).toBe(0);
    expect(await check('--from', 'layout:whole', '--offline')).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  test('checks all packages, even if one fails', async () => {
    const image = await honest('p');
    await start(image);
    registry.push('a/q', 'v1.0.0', await honest('q'));
    const refs = [ref(), `${registry.host}/a/q@v1.0.0`];
    await run('resolve', ...refs, '--crossplane', 'v2.3.4', ...cache);
    registry.push('a/q', 'v1.0.0', await honest('z'));
    registry.push('a/p', 'v1.0.0', await packageImage(meta('p')));
    const { code, mismatches } = await report(...refs);
    expect(code).toBe(EXIT.lockMismatch);
    expect(mismatches).toHaveLength(2);
  });
});
