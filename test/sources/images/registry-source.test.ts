import { describe, expect, test } from 'vitest';
import { imageConfigsIn } from '../../../src/crossplane/package-manager/image-config.js';
import type { JsonObject } from '../../../src/base/json.js';
import type { SourceError } from '../../../src/base/errors.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { type CredentialStore, Secret } from '../../../src/oci/registry/credentials.js';
import type { RemoteName } from '../../../src/oci/registry/session.js';
import type { ImageSource } from '../../../src/sources/images/fetch-image.js';
import { registrySource } from '../../../src/sources/images/registry-source.js';
import { providerYaml } from '../../support/package-yaml.js';
import { anonymous, storeOf, withRegistry } from '../../support/registry/client.js';
import { on, status } from '../../support/registry/faults.js';
import { imageOf, indexOf, layerOf, packageImage } from '../../support/registry/image.js';
import { MemoryRepository } from '../../support/registry/memory-repository.js';
import type { RegistryOptions } from '../../support/registry/registry.js';

const V1 = targetFor('v1.20.0')!;
const V2 = targetFor('v2.3.4')!;
const image = await packageImage(providerYaml('p', 'a.example.org'));

function secretOf(name: string): JsonObject {
  return { registry: { authentication: { pullSecretRef: { name } } } };
}

function config(name: string, prefix: string, spec: JsonObject) {
  const object = {
    kind: 'ImageConfig',
    metadata: { name },
    spec: { matchImages: [{ prefix }], ...spec },
  };
  return { object, origin: { file: 'x.yaml' } };
}

test('N packages cost N lists, N manifests and N base layers, and one more for an index', async () => {
  const index = indexOf([{ image, platform: { os: 'linux', architecture: 'amd64' } }]);
  await withRegistry({}, async ({ registry, client }) => {
    registry.push('a/p', 'v1.0.0', image).push('a/q', 'v1.0.0', index);
    const source = registrySource({ client, credentials: anonymous });
    const [p, q] = [`${registry.host}/a/p`, `${registry.host}/a/q`];
    await Promise.all([source.tags(p, V2), source.tags(q, V2)]);
    const got = await Promise.all(
      [p, q].map((repository) => source.fetch({ repository, version: 'v1.0.0' }, V2)),
    );
    expect(got[0]).toMatchObject({ digest: image.digest, manifest: undefined });
    expect(got[1]).toMatchObject({ digest: index.digest, manifest: image.digest });
    expect(got[1]?.baseLayer).toBe(image.blobs.at(-1)!.digest);
    expect(got[1]?.contents.objects).toMatchObject([{ name: 'a.example.org' }]);
    const layer = `blobs/${image.blobs.at(-1)!.digest}`;
    expect([...registry.asked].sort()).toEqual(
      [
        'GET /v2/a/p/tags/list?n=1000',
        'GET /v2/a/q/tags/list?n=1000',
        'GET /v2/a/p/manifests/v1.0.0',
        'GET /v2/a/q/manifests/v1.0.0',
        `GET /v2/a/q/manifests/${image.digest}`,
        `GET /v2/a/p/${layer}`,
        `GET /v2/a/q/${layer}`,
      ].sort(),
    );
  });
});

test('a tag is read once, even for two targets and even if it moves', async () => {
  const moved = await packageImage(providerYaml('moved'));
  const move = on('/blobs/', (_request, _response, registry) => {
    registry.push('a/p', 'v1.0.0', moved);
    return false;
  });
  await withRegistry({ faults: [move] }, async ({ registry, client }) => {
    registry.push('a/p', 'v1.0.0', image);
    const source = registrySource({ client, credentials: anonymous });
    const candidate = { repository: `${registry.host}/a/p`, version: 'v1.0.0' };
    const digests = [];
    for (const target of [V1, V2]) digests.push((await source.fetch(candidate, target))?.digest);
    expect(digests).toEqual([image.digest, image.digest]);
    expect(registry.asked.filter((asked) => asked.includes('/manifests/'))).toHaveLength(1);
  });
});

test('a package that the target refuses has a problem and is not an error', async () => {
  const index = indexOf([{ image, platform: { os: 'linux', architecture: 'arm64' } }]);
  await withRegistry({}, async ({ registry, client }) => {
    registry.push('a/p', 'v1.0.0', index);
    const source = registrySource({ client, credentials: anonymous });
    const candidate = { repository: `${registry.host}/a/p`, version: 'v1.0.0' };
    const got = await source.fetch(candidate, V2);
    expect(got?.digest).toBe(index.digest);
    expect(got?.contents.problems).toMatchObject([
      { message: expect.stringContaining('linux/amd64') as string },
    ]);
  });
});

test('an image without annotations is read, with a hint on how to copy it', async () => {
  const bare = imageOf([await layerOf([{ name: 'package.yaml', content: providerYaml('p') }])]);
  await withRegistry({}, async ({ registry, client }) => {
    registry.push('a/p', 'v1.0.0', bare);
    const source = registrySource({ client, credentials: anonymous });
    const candidate = { repository: `${registry.host}/a/p`, version: 'v1.0.0' };
    const got = await source.fetch(candidate, V2);
    expect(got?.contents.metas).toHaveLength(1);
    expect(got?.baseLayer).toBeUndefined();
    expect(got?.notes?.join()).toMatch(/io\.crossplane\.xpkg: base.*crane copy/);
  });
});

describe('location of a package', () => {
  /** Records the repositories that a source opens. */
  async function askedAt(
    repository: string,
    version: string | undefined,
    release: string,
    options: {
      readonly imageConfigs?: Parameters<typeof imageConfigsIn>[0];
      readonly insecure?: ReadonlySet<string>;
      readonly pullSecrets?: ReadonlyMap<string, CredentialStore>;
    } = {},
  ) {
    const names: RemoteName[] = [];
    const references: string[] = [];
    const source = registrySource({
      ...options,
      imageConfigs: imageConfigsIn(options.imageConfigs ?? []),
      credentials: anonymous,
      client: {
        repository: (name) => {
          names.push(name);
          const held = new MemoryRepository(image);
          return {
            name: held.name,
            tags: () => held.tags(),
            blob: (descriptor) => held.blob(descriptor),
            manifest: async (reference) => {
              references.push(reference);
              return undefined;
            },
          };
        },
      },
    });
    const target = targetFor(release)!;
    if (version === undefined) await source.tags(repository, target);
    else await source.fetch({ repository, version }, target);
    return { name: names[0], reference: references[0] };
  }

  test.each([
    { repository: 'acme/p', release: 'v1.14.0', want: 'index.docker.io acme/p' },
    { repository: 'acme/p', release: 'v1.15.0', want: 'xpkg.upbound.io acme/p' },
    { repository: 'acme/p', release: 'v1.20.0', want: 'xpkg.crossplane.io acme/p' },
    { repository: 'acme/p', release: 'v2.0.0', want: 'index.docker.io acme/p' },
    { repository: 'docker.io/nginx', release: 'v2.0.0', want: 'index.docker.io library/nginx' },
    { repository: 'a.io:5000/b/c', release: 'v2.0.0', want: 'a.io:5000 b/c' },
    { repository: 'a.io/B', release: 'v2.0.0', want: undefined },
    { repository: 'a.io/b:v1', release: 'v2.0.0', want: undefined },
  ])('$repository at $release: $want', async ({ repository, release, want }) => {
    const { name } = await askedAt(repository, 'v1.0.0', release);
    expect(name && `${name.host} ${name.path}`).toBe(want);
  });

  const rewrite = config('mirror', 'xpkg.io', { rewriteImage: { prefix: 'mirror.io/xpkg' } });
  const pin = config('pin', 'xpkg.io/a/b:v1.0.0', {
    rewriteImage: { prefix: `mirror.io/a/b@${image.digest}` },
  });

  test.each([
    {
      why: 'tags by the bare repository',
      version: undefined,
      configs: [rewrite],
      want: 'mirror.io xpkg/a/b',
    },
    {
      why: 'a version by its whole reference',
      version: 'v1.0.0',
      configs: [rewrite],
      want: 'mirror.io xpkg/a/b v1.0.0',
    },
    {
      why: 'a rewrite may pin',
      version: 'v1.0.0',
      configs: [rewrite, pin],
      want: `mirror.io a/b ${image.digest}`,
    },
    {
      why: 'a digest stays',
      version: image.digest,
      configs: [rewrite],
      want: `mirror.io xpkg/a/b ${image.digest}`,
    },
  ])('ImageConfig: $why', async ({ version, configs, want }) => {
    const { name, reference } = await askedAt('xpkg.io/a/b', version, 'v2.3.4', {
      imageConfigs: configs,
    });
    expect([name?.host, name?.path, reference].filter(Boolean).join(' ')).toBe(want);
  });

  test('the pull secret is chosen by the rewritten image', async () => {
    const mirrorSecret = storeOf({ kind: 'bearer', token: new Secret('mirror') });
    const { name } = await askedAt('xpkg.io/a/b', 'v1.0.0', 'v2.3.4', {
      imageConfigs: [
        rewrite,
        config('old', 'xpkg.io/a/b', secretOf('old')),
        config('new', 'mirror.io/', secretOf('new')),
      ],
      pullSecrets: new Map([
        ['old', anonymous],
        ['new', mirrorSecret],
      ]),
    });
    expect(await name?.credentials.find('mirror.io', 'x')).toMatchObject({ kind: 'bearer' });
  });

  test.each([
    { repository: 'a.local/b/c', release: 'v2.3.3', want: true },
    { repository: 'a.local/b/c', release: 'v2.3.4', want: false },
    { repository: 'plain.io/b/c', release: 'v2.3.4', want: true },
    { repository: 'a.io/b/c', release: 'v2.3.4', want: false },
  ])('plain HTTP with $repository at $release: $want', async ({ repository, release, want }) => {
    const insecure = new Set(['plain.io']);
    const { name } = await askedAt(repository, 'v1.0.0', release, { insecure });
    expect(name?.plainHttp).toBe(want);
  });
});

/** Queries a registry for `xpkg.io/a/p`, which may only have it as `mirror/a/p`. */
async function asking(
  registryOptions: RegistryOptions,
  sourceOptions: {
    readonly spec?: JsonObject;
    readonly given?: ReadonlyMap<string, CredentialStore>;
  },
  body: (source: ImageSource, notes: readonly string[], host: string) => Promise<void>,
) {
  await withRegistry({ tries: 1, ...registryOptions }, async ({ registry, client }) => {
    registry.push('mirror/a/p', 'v1.0.0', image);
    const prefix = `${registry.host}/mirror`;
    const spec = { rewriteImage: { prefix }, ...sourceOptions.spec };
    const named = { matchImages: [{ prefix: 'xpkg.io' }, { prefix: registry.host }], ...spec };
    const notes: string[] = [];
    const source = registrySource({
      client,
      credentials: anonymous,
      imageConfigs: imageConfigsIn([config('mirror', 'xpkg.io', named)]),
      pullSecrets: sourceOptions.given,
      note: (line) => notes.push(line),
    });
    await body(source, notes, registry.host);
  });
}

describe('a wrong ImageConfig is named', () => {
  const NAMED = /`mirror` \(x\.yaml\)/;

  const P = 'xpkg.io/a/p';
  const LOST = 'xpkg.io/a/lost';

  test('if its location lacks the package, once', async () => {
    await asking({}, {}, async (source, notes, host) => {
      expect(await source.tags(P, V2)).toEqual(['v1.0.0']);
      expect(notes).toEqual([]);
      expect(await source.tags(LOST, V2)).toBeUndefined();
      expect(await source.fetch({ repository: LOST, version: 'v1.0.0' }, V2)).toBeUndefined();
      expect(notes).toEqual([expect.stringMatching(NAMED)]);
      expect(notes[0]).toContain(LOST);
      expect(notes[0]).toContain(`${host}/mirror/a/lost`);
    });
  });

  test('if its location lacks the version or the image', async () => {
    await asking({}, {}, async (source, notes, host) => {
      expect(await source.fetch({ repository: P, version: 'v2.0.0' }, V2)).toBeUndefined();
      expect(notes.join()).toContain(`${host}/mirror/a/p:v2.0.0`);
      const images = await source.images({ repository: LOST, version: 'v1.0.0' }, V2);
      expect(await images?.manifest(image.digest)).toBeUndefined();
      expect(notes).toHaveLength(2);
    });
  });

  test('if its location fails, with the original package', async () => {
    const faults = [on('', status(500))];
    await asking({ faults }, {}, async (source, notes, host) => {
      const candidate = { repository: P, version: 'v1.0.0' };
      const images = await source.images(candidate, V2);
      for (const failing of [
        source.tags(P, V2),
        source.fetch(candidate, V2),
        images!.manifest(image.digest),
      ]) {
        const failure = await failing.catch((error: unknown) => error as SourceError);
        expect(failure).toMatchObject({ code: 'UNREACHABLE' });
        expect((failure as SourceError).message).toMatch(NAMED);
        expect((failure as SourceError).message).toContain(P);
        expect((failure as SourceError).message).toContain(`${host}/mirror/a/p`);
      }
      expect(notes).toEqual([]);
    });
  });

  test('if the rewritten name is invalid', async () => {
    const spec = { rewriteImage: { prefix: 'mirror.io/ACME' } };
    await asking({}, { spec }, async (source) => {
      await expect(source.tags(P, V2)).rejects.toMatchObject({
        name: 'InputError',
        origin: { file: 'x.yaml' },
        message: expect.stringMatching(/`mirror`.*`mirror\.io\/ACME\/a\/p`/) as string,
      });
      expect(await source.tags('xpkg.io/A', V2)).toBeUndefined();
    });
  });

  const access = { mode: 'basic', user: 'ann', password: 's3cret' } as const;
  const wrong = storeOf({ kind: 'basic', username: 'ann', password: new Secret('x') });

  test.each([
    { why: 'it was not given', options: { access }, given: new Map(), told: true },
    { why: 'it was', options: { access }, given: new Map([['regcred', wrong]]), told: false },
    {
      why: 'that is not it',
      options: { faults: [on('', status(500))] },
      given: new Map(),
      told: false,
    },
  ])('for its Secret, if access is refused: $why', async ({ options, given, told }) => {
    await asking(options, { spec: secretOf('regcred'), given }, async (source) => {
      const failure = await source.tags(P, V2).catch((error: unknown) => error as SourceError);
      const hint = (failure as SourceError).hint ?? '';
      expect(/`mirror`.*`regcred`.*--pull-secret/.test(hint)).toBe(told);
      expect((failure as SourceError).message).toContain(P);
    });
  });
});
