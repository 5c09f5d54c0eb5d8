import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/commands.js';
import type { Repository } from '../../src/crossplane/packages/package.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { openLayoutSource } from '../../src/sources/images/image-source.js';
import { openRegistries } from '../../src/sources/images/open-registries.js';
import { fakeIo } from '../support/fake-io.js';
import { providerYaml } from '../support/package-yaml.js';
import { BASE, imageOf, indexOf, layerOf, packageImage } from '../support/registry/image.js';
import { DockerRegistry, mustRun } from './docker-registry.js';

const TARGET = targetFor('v2.3.4')!;
const ACCOUNT = { user: 'ann', password: 's3cret' };
const AMD64 = { os: 'linux', architecture: 'amd64' };
const yaml = providerYaml('p', ...Array.from({ length: 50 }, (_, i) => `c${i}.example.org`));
const image = await packageImage(yaml);
const index = indexOf([{ image, platform: AMD64 }]);
const platforms = indexOf([
  { image, platform: AMD64 },
  { image: await packageImage(`${yaml}\n`), platform: { os: 'linux', architecture: 'arm64' } },
]);

let open: DockerRegistry;
let closed: DockerRegistry;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-conformance-'));
  [open, closed] = await Promise.all([DockerRegistry.start(), DockerRegistry.start(ACCOUNT)]);
  await open.push('a/p', 'v1.0.0', image);
  await open.push('a/q', 'v1.0.0', index);
  await open.push('a/platforms', 'v1.0.0', platforms);
  await closed.push('a/p', 'v1.0.0', image);
});

afterAll(async () => {
  await Promise.all([open.stop(), closed.stop()]);
  await rm(folder, { recursive: true });
});

function registries(env: Readonly<Record<string, string>> = {}) {
  return openRegistries({ env, connections: 8 });
}

function at(registry: DockerRegistry, path: string): Repository {
  return `${registry.host}/${path}`;
}

describe('docker-registry', () => {
  test('answers the requests, and none is repeated', async () => {
    open.forget();
    const source = registries();
    const got = await Promise.all(
      ['a/p', 'a/q'].map(async (path) => {
        expect(await source.tags(at(open, path), TARGET)).toEqual(['v1.0.0']);
        return source.fetch({ repository: at(open, path), version: 'v1.0.0' }, TARGET);
      }),
    );
    expect(got.map((found) => found?.digest)).toEqual([image.digest, index.digest]);
    expect(got.map((found) => found?.contents.objects.length)).toEqual([50, 50]);
    await expect.poll(() => open.answered.length).toBe(2 + 3 + 2);
    process.stdout.write(`requests for 2 packages, one an index:\n${open.answered.join('\n')}\n`);
  });

  test('reports a missing repository and a missing tag', async () => {
    const source = registries();
    expect(await source.tags(at(open, 'a/none'), TARGET)).toBeUndefined();
    const missing = { repository: at(open, 'a/p'), version: 'v9.9.9' };
    expect(await source.fetch(missing, TARGET)).toBeUndefined();
  });

  test('with htpasswd accepts only the correct password', async () => {
    const candidate = { repository: at(closed, 'a/p'), version: 'v1.0.0' };
    await expect(registries().fetch(candidate, TARGET)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
    const auth = Buffer.from(`${ACCOUNT.user}:${ACCOUNT.password}`).toString('base64');
    await mkdir(join(folder, 'docker'));
    const config = JSON.stringify({ auths: { [closed.host]: { auth } } });
    await writeFile(join(folder, 'docker', 'config.json'), config);
    const source = registries({ DOCKER_CONFIG: join(folder, 'docker') });
    expect((await source.fetch(candidate, TARGET))?.digest).toBe(image.digest);
  });

  test('lists a hundred tags in any order', async () => {
    const tags = Array.from({ length: 100 }, (_, i) => `v1.${i}.0`);
    for (const tag of tags) await open.push('a/many', tag, image);
    const listed = await registries().tags(at(open, 'a/many'), TARGET);
    expect(new Set(listed)).toEqual(new Set(tags));
  });

  test('with damaged files is detected', async () => {
    const bad = await packageImage(providerYaml('tampered'));
    await open.push('a/bad', 'v1.0.0', bad);
    const hex = bad.blobs.at(-1)!.digest.slice('sha256:'.length);
    const blobs = join(open.folder, 'data/docker/registry/v2/blobs/sha256', hex.slice(0, 2), hex);
    const [file] = await readdir(blobs);
    const bytes = await readFile(join(blobs, file!));
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(join(blobs, file!), bytes);
    const candidate = { repository: at(open, 'a/bad'), version: 'v1.0.0' };
    await expect(registries().fetch(candidate, TARGET)).rejects.toMatchObject({
      code: 'BAD_DIGEST',
    });
  });

  test('has layers that the zstd program compressed', async () => {
    const layer = await layerOf([{ name: 'package.yaml', content: yaml }], {
      compress: (tar) => mustRun('zstd', ['-19', '-c'], { input: tar }),
      annotations: BASE,
    });
    await open.push('a/zstd', 'v1.0.0', imageOf([layer]));
    const candidate = { repository: at(open, 'a/zstd'), version: 'v1.0.0' };
    expect((await registries().fetch(candidate, TARGET))?.contents.objects).toHaveLength(50);
  });
});

describe('images copied by skopeo', () => {
  test.each([
    { form: 'oci', path: 'layout', from: 'a/p', want: image },
    { form: 'oci-archive', path: 'layout.tar', from: 'a/p', want: image },
    { form: 'oci', path: 'index', from: 'a/q', want: index },
  ])('to $form:$path are read back with their digest', async ({ form, path, from, want }) => {
    const file = join(folder, path);
    mustRun('skopeo', [
      'copy',
      '--all',
      '--preserve-digests',
      '--src-tls-verify=false',
      '--insecure-policy',
      `docker://${open.host}/${from}:v1.0.0`,
      `${form}:${file}:v1.0.0`,
    ]);
    const repository = 'xpkg.io/a/p';
    const source = await openLayoutSource(file, {
      shown: path,
      name: { repository, tag: undefined },
      note: () => undefined,
    });
    expect(await source.tags(repository, TARGET)).toEqual(['v1.0.0']);
    const got = await source.fetch({ repository, version: 'v1.0.0' }, TARGET);
    expect(got).toMatchObject({ digest: want.digest });
    expect(got?.contents.objects).toHaveLength(50);
  });
});

test.each([
  { path: 'a/p', want: image, why: 'an image' },
  { path: 'a/platforms', want: platforms, why: 'an index with all images' },
])(
  'completely vendored images are copied by skopeo with their digest: $why',
  async ({ path, want }) => {
    const reference = `${open.host}/${path}:v1.0.0`;
    const world = join(folder, `world-${want.digest.slice(-8)}`);
    const io = fakeIo({ cwd: folder });
    const lock = ['--lock', `${world}.lock.yaml`];
    expect(await runCli(['resolve', reference, ...lock], io)).toBe(0);
    expect(await runCli(['vendor', world, '--full', ...lock], io)).toBe(0);
    mustRun('skopeo', [
      'copy',
      '--all',
      '--preserve-digests',
      '--dest-tls-verify=false',
      '--insecure-policy',
      `oci:${world}:${reference}`,
      `docker://${open.host}/copied/${path}:v1.0.0`,
    ]);
    const copied = { repository: at(open, `copied/${path}`), version: 'v1.0.0' };
    expect(await registries().fetch(copied, TARGET)).toMatchObject({ digest: want.digest });
  },
);
