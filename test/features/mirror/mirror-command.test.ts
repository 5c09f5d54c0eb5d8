import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { providerYaml } from '../../support/package-yaml.js';
import {
  BASE,
  blobOf,
  imageOf,
  indexOf,
  layerOf,
  OCI_MANIFEST,
  type Image,
} from '../../support/registry/image.js';
import { pushSide } from '../../support/registry/push-side.js';
import { Registry } from '../../support/registry/registry.js';

let folder: string;
let source: Registry;
let mirror: Registry;
let image: Image;

/** A provider for two platforms that share a base layer and have their own runtime layers. */
async function provider(more = ''): Promise<Image> {
  const yaml = `${providerYaml('p')}${more}`;
  const base = await layerOf([{ name: 'package.yaml', content: yaml }], { annotations: BASE });
  const platform = async (architecture: string) => {
    const program = await layerOf([{ name: 'provider', content: architecture.repeat(1000) }]);
    const config = JSON.stringify({ os: 'linux', architecture });
    return { image: imageOf([base, program], config), platform: { os: 'linux', architecture } };
  };
  return indexOf([await platform('amd64'), await platform('arm64')]);
}

/** A manifest with a subject, as `oras attach` and cosign store it. */
function attachment(subject: Image): Image {
  const plain = imageOf([blobOf('signed')], '{}', { artifactType: 'application/x-signature' });
  const manifest = {
    ...(JSON.parse(Buffer.from(plain.bytes).toString('utf8')) as object),
    subject: { mediaType: subject.mediaType, digest: subject.digest, size: subject.bytes.length },
  };
  return { ...plain, ...blobOf(JSON.stringify(manifest)) };
}

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd: folder, env: { HOME: folder } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

async function json(...argv: readonly string[]) {
  const { code, stdout, notes } = await run(...argv, '-o', 'json');
  expect(code, notes.join('\n')).toBe(0);
  return JSON.parse(stdout);
}

const uploads = (registry: Registry) =>
  registry.asked.filter((line) => line.startsWith('PUT') && line.includes('/blobs/'));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mirror-'));
  source = await new Registry().start();
  mirror = await new Registry({ faults: [pushSide()] }).start();
  image = await provider();
  source.push('acme/p', 'v1.0.0', image);
  source.push('acme/p', undefined, attachment(image));
  source.push('acme/p', `${image.digest.replace(':', '-')}.sig`, imageOf([blobOf('cosign')]));
  const flags = ['--crossplane', 'v1.20.0', '--concurrency', '4'];
  expect((await run('resolve', `${source.host}/acme/p:v1.0.0`, ...flags)).code).toBe(0);
});

afterEach(async () => {
  await Promise.all([source.stop(), mirror.stop()]);
  await rm(folder, { recursive: true });
});

test('`images` lists each platform with its size, and counts shared blobs once', async () => {
  const { images, bytes } = await json('images');
  expect(images).toMatchObject([
    { version: 'v1.0.0', digest: image.digest, role: 'package', source: `${source.host}/acme/p` },
  ]);
  expect(images[0].platforms.map(({ platform }: { platform: string }) => platform)).toEqual([
    'linux/amd64',
    'linux/arm64',
  ]);
  const parts = [image, ...image.manifests, ...image.blobs].map(
    (part) => [part.digest, part.bytes.length] as const,
  );
  const once = [...new Map(parts).values()].reduce((sum, size) => sum + size, 0);
  expect(bytes).toBe(once);
});

test('`images` lists the runtime images in metadata for releases that support them', async () => {
  source.push('acme/runtime', 'v7', imageOf([blobOf('program')]));
  const more = `spec:\n  controller:\n    image: ${source.host}/acme/runtime:v7\n`;
  source.push('acme/q', 'v1.0.0', await provider(more));
  const listed = async (crossplane: string) => {
    await run('resolve', `${source.host}/acme/q:v1.0.0`, '--crossplane', crossplane, '--upgrade');
    const { images } = await json('images');
    return images.map((one: { role: string; version: string }) => [one.role, one.version]);
  };
  expect(await listed('v1.20.0')).toEqual([
    ['package', 'v1.0.0'],
    ['runtime', 'v7'],
  ]);
  expect(await listed('v2.0.0')).toEqual([['package', 'v1.0.0']]);
});

describe('`mirror`', () => {
  test('copies whole images and their attachments under the same digests', async () => {
    const to = `${mirror.host}/team`;
    const report = await json('mirror', '--to', to, '--secret', 'regcred');
    expect(report.images).toMatchObject([
      { to: `${to}/acme/p:v1.0.0`, digest: image.digest, status: 'copied', attachments: 2 },
    ]);
    expect(report.imageConfigs).toMatchObject([
      { spec: { rewriteImage: { prefix: `${to}/` } } },
      { spec: { registry: { authentication: { pullSecretRef: { name: 'regcred' } } } } },
    ]);
    expect((await run('verify', '--mirror', to)).code).toBe(0);
    const sent = uploads(mirror).length;
    const again = await json('mirror', '--to', to);
    expect(again.images).toMatchObject([{ status: 'present', attachments: 2 }]);
    expect(again.bytes).toBe(0);
    expect(uploads(mirror)).toHaveLength(sent);
    const tags = ['v1.0.0', `${image.digest.replace(':', '-')}.sig`];
    const listed = await fetch(`http://${mirror.host}/v2/team/acme/p/tags/list`);
    expect(await listed.json()).toMatchObject({ tags: tags.sort() });
  });

  test('continues an interrupted copy', async () => {
    let left = 2;
    mirror.fail((request, response) => {
      if (request.method !== 'PUT' || left-- > 0) return false;
      response.writeHead(403).end();
      return true;
    });
    const to = mirror.host;
    expect((await run('mirror', '--to', to)).code).toBe(5);
    const before = uploads(mirror).length;
    left = Infinity;
    expect((await run('mirror', '--to', to)).code).toBe(0);
    const distinct = new Set(image.blobs.map(({ digest }) => digest)).size;
    // The first attempt stored two blobs; the attachments have two more.
    expect(uploads(mirror).length - before).toBeLessThan(distinct + 4);
    expect((await run('verify', '--mirror', to)).code).toBe(0);
  });

  test('does not overwrite a tag of another image without a flag', async () => {
    mirror.push('acme/p', 'v1.0.0', await provider('---\n'));
    const { code, notes } = await run('mirror', '--to', mirror.host);
    expect(code).toBe(4);
    expect(notes.join('\n')).toContain('the mirror has another image under');
    expect(uploads(mirror)).toEqual([]);
    expect((await run('verify', '--mirror', mirror.host)).code).toBe(4);
    expect((await run('mirror', '--to', mirror.host, '--overwrite')).code).toBe(0);
    expect((await run('verify', '--mirror', mirror.host)).code).toBe(0);
  });

  test.each([
    { tool: 'oras', begins: 'oras copy --recursive ' },
    { tool: 'crane', begins: 'crane copy ' },
    { tool: 'skopeo', begins: 'skopeo copy --all --preserve-digests docker://' },
  ])('--dry-run prints commands of $tool, and copies nothing', async ({ tool, begins }) => {
    const { stdout } = await run('mirror', '--to', mirror.host, '--dry-run', '--tool', tool);
    expect(stdout.startsWith(`${begins}${source.host}/acme/p@${image.digest} `)).toBe(true);
    expect(mirror.asked.filter((line) => !/^(GET|HEAD)/.test(line))).toEqual([]);
  });

  test('an ImageConfig that redirects to the mirror does not hide the original images', async () => {
    const { stdout } = await run('mirror', '--to', mirror.host, '--dry-run', '-o', 'json');
    await writeFile(join(folder, 'm.json'), JSON.stringify(JSON.parse(stdout).imageConfigs[0]));
    const set = [`${source.host}/acme/p:v1.0.0`, '-f', 'm.json', '--crossplane', 'v1.20.0'];
    expect((await run('mirror', '--to', mirror.host)).code).toBe(0);
    expect((await run('resolve', ...set)).code).toBe(0);
    const { code, notes } = await run('mirror', '--to', mirror.host);
    expect([code, notes.filter((line) => line.startsWith('warning'))]).toEqual([0, []]);
  });

  test('names a release that does not support mirrors', async () => {
    await run('resolve', `${source.host}/acme/p:v1.0.0`, '--crossplane', 'v1.17.0');
    const { code, stdout, notes } = await run('mirror', '--to', mirror.host);
    expect([code, stdout]).toEqual([0, '']);
    expect(notes.join('\n')).toContain('warning: Crossplane v1.17.0 cannot be told of a mirror');
  });
});

test('`verify --mirror` lists missing parts of an image', async () => {
  await run('mirror', '--to', mirror.host);
  const gone = image.blobs.at(-1)!.digest;
  mirror.fail((request, response) => {
    if (!request.path.endsWith(gone)) return false;
    response.writeHead(404).end('{"errors":[]}');
    return true;
  });
  const { code, notes } = await run('verify', '--mirror', mirror.host);
  expect(code).toBe(4);
  expect(notes.join('\n')).toContain(`lacks the blob ${gone}`);
});

describe('`bundle`', () => {
  test('is one file that fills a mirror without access to the source', async () => {
    const { images, bytes } = await json('bundle', 'all.tar');
    expect(images).toBe(1);
    const first = await readFile(join(folder, 'all.tar'));
    expect(bytes).toBe(first.length);
    await run('bundle', 'all.tar', '--concurrency', '1');
    expect(await readFile(join(folder, 'all.tar'))).toEqual(first);
    expect((await readdir(folder)).filter((name) => name.includes('layout'))).toEqual([]);
    await source.stop();
    await rm(join(folder, 'xpkg.lock.yaml'));
    const report = await json('mirror', '--from', 'all.tar', '--to', mirror.host);
    expect(report.images).toMatchObject([{ digest: image.digest, attachments: 2 }]);
    source = await new Registry().start();
  });

  test('leaves nothing if it cannot be completed', async () => {
    const before = await readdir(folder);
    source.fail((request, response) => {
      if (!request.path.endsWith(image.blobs.at(-1)!.digest)) return false;
      response.writeHead(404).end('{"errors":[]}');
      return true;
    });
    expect((await run('bundle', 'all.tar')).code).toBe(5);
    expect(await readdir(folder)).toEqual(before);
  });

  test('requires a file name with a known extension', async () => {
    expect((await run('bundle', 'all.zip')).code).toBe(2);
    const before = await readdir(folder);
    expect((await run('bundle', 'missing/all.tar')).code).toBe(2);
    expect(await readdir(folder)).toEqual(before);
    expect((await run('mirror')).notes[0]).toContain('`mirror` does not say where to');
    expect((await run('mirror', '--from', 'none.tar', '--to', mirror.host)).code).toBe(2);
  });
});

test('copies a manifest of an unknown type unchanged', async () => {
  const odd = imageOf([blobOf('x')]);
  const text = Buffer.from(odd.bytes).toString('utf8').replace(OCI_MANIFEST, 'a\\r\\nx: y');
  const served = { ...odd, ...blobOf(text), mediaType: 'application/json' };
  source.push('acme/p', `${image.digest.replace(':', '-')}.att`, served);
  const report = await json('mirror', '--to', mirror.host);
  expect(report.images).toMatchObject([{ attachments: 3 }]);
});
