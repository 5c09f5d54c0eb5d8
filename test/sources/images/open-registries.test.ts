import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { imageConfigsIn } from '../../../src/crossplane/package-manager/image-config.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { openRegistries } from '../../../src/sources/images/open-registries.js';
import { providerYaml } from '../../support/package-yaml.js';
import { TEST_CERTIFICATE } from '../../support/registry/certificate.js';
import { packageImage } from '../../support/registry/image.js';
import { Registry, type RegistryOptions } from '../../support/registry/registry.js';

const TARGET = targetFor('v2.3.4')!;
const image = await packageImage(providerYaml('p'));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registries-'));
  await writeFile(join(folder, 'ca.pem'), TEST_CERTIFICATE);
});

afterAll(() => rm(folder, { recursive: true }));

async function running(options: RegistryOptions, body: (registry: Registry) => Promise<void>) {
  const registry = await new Registry(options).start();
  registry.push('a/p', 'v1.0.0', image);
  try {
    await body(registry);
  } finally {
    await registry.stop();
  }
}

function configFor(host: string): string {
  return JSON.stringify({ auths: { [host]: { username: 'ann', password: 's3cret' } } });
}

test('bytes and requests are reported without credentials', async () => {
  const access = { mode: 'basic', user: 'ann', password: 's3cret' } as const;
  await running({ access }, async (registry) => {
    await writeFile(join(folder, 'config.json'), configFor(registry.host));
    const told: unknown[] = [];
    let bytes = 0;
    const source = openRegistries({
      env: { DOCKER_CONFIG: folder },
      connections: 4,
      observer: {
        bytes: (count) => (bytes += count),
        exchange: (exchange) => told.push(exchange),
      },
    });
    const repository = `${registry.host}/a/p`;
    await source.fetch({ repository, version: 'v1.0.0' }, TARGET);
    expect(bytes).toBe(image.bytes.length + image.blobs.at(-1)!.bytes.length);
    expect(told).toMatchObject([
      { method: 'GET', status: undefined },
      { status: 401, authorization: 'none', bytes: 0 },
      { status: 200, authorization: 'basic', bytes: image.bytes.length },
      { status: 200, authorization: 'basic' },
    ]);
    expect(JSON.stringify(told)).not.toMatch(/s3cret|YW5uOnMzY3JldA/);
  });
});

test('a pull secret is used for its host, and by name for an ImageConfig', async () => {
  const access = { mode: 'basic', user: 'ann', password: 's3cret' } as const;
  await running({ access }, async (registry) => {
    const secret = { name: 'regcred', dockerConfig: configFor(registry.host), file: 'x.yaml' };
    const object = {
      kind: 'ImageConfig',
      metadata: { name: 'mirror' },
      spec: {
        matchImages: [{ prefix: 'xpkg.io' }],
        rewriteImage: { prefix: registry.host },
      },
    };
    const source = openRegistries({
      env: {},
      connections: 4,
      pullSecrets: [secret],
      imageConfigs: imageConfigsIn([{ object, origin: { file: 'x.yaml' } }]),
    });
    expect(await source.tags('xpkg.io/a/p', TARGET)).toEqual(['v1.0.0']);
  });
});

test('the connections to a registry are limited', async () => {
  await running({}, async (registry) => {
    const source = openRegistries({ env: {}, connections: 2 });
    const paths = Array.from({ length: 20 }, (_, count) => `a/p${count}`);
    for (const path of paths) registry.push(path, 'v1.0.0', image);
    await Promise.all(paths.map((path) => source.tags(`${registry.host}/${path}`, TARGET)));
    expect(registry.log).toHaveLength(20);
    expect(registry.mostConnections).toBeLessThanOrEqual(2 + 1);
  });
});

test('SSL_CERT_FILE is used, and one without a certificate is an input error', async () => {
  await running({ tls: true }, async (registry) => {
    const tags = (file: string) =>
      openRegistries({ env: { SSL_CERT_FILE: join(folder, file) }, connections: 1 }).tags(
        `${registry.host}/a/p`,
        TARGET,
      );
    expect(await tags('ca.pem')).toEqual(['v1.0.0']);
    await writeFile(join(folder, 'garbage.pem'), 'garbage\n');
    const broken = TEST_CERTIFICATE.replace(/MII[^-]*/, 'MIIB\n');
    await writeFile(join(folder, 'broken.pem'), broken);
    for (const file of ['absent.pem', 'garbage.pem', 'broken.pem']) {
      await expect(tags(file)).rejects.toMatchObject({
        name: 'InputError',
        message: expect.stringContaining(file) as string,
      });
    }
    expect(registry.log).toHaveLength(2);
  });
});
