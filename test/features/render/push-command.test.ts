import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text as consumed } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { sha256 } from '../../../src/base/digest.js';
import { fakeIo } from '../../support/fake-io.js';
import { providerYaml } from '../../support/package-yaml.js';
import { packageImage } from '../../support/registry/image.js';
import { status } from '../../support/registry/faults.js';
import { pushSide } from '../../support/registry/push-side.js';
import { Registry, type Fault, type RegistryOptions } from '../../support/registry/registry.js';
import { DEMO_SOURCE, RESOLVE_DEMO, writeResolvedDemo } from '../../support/resolved-demo.js';

let folder: string;
let registry: Registry;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'push-'));
  await serve({ faults: [pushSide()] });
  await writeResolvedDemo(folder);
});

afterEach(async () => {
  await registry.stop();
  await rm(folder, { recursive: true });
});

async function serve(options: RegistryOptions) {
  registry = await new Registry(options).start();
}

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd: folder, env: { DOCKER_CONFIG: folder } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

function at(path: string): string {
  return `oci://${registry.host}/${path}`;
}

/** Returns the files of a tar by name, after checking that its headers are reproducible. */
async function tarEntries(tar: Buffer): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const entry of Readable.from([tar]).pipe(extract())) {
    const { name, mode, mtime, uid, gid } = entry.header;
    expect([mode, Number(mtime), uid, gid]).toEqual([0o644, 0, 0, 0]);
    files[name] = await consumed(entry);
  }
  return files;
}

/** Returns the files of the rendered folder by name. */
async function folderContents(bundle = 'rendered'): Promise<Record<string, string>> {
  const entries = await readdir(join(folder, bundle), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
  const files = paths.map(async (path) => {
    return [path.slice(join(folder, bundle).length + 1), await readFile(path, 'utf8')] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}

function lockfile(): Promise<string> {
  return readFile(join(folder, 'xpkg.lock.yaml'), 'utf8');
}

test('the same lockfile gives the same artifact, with type, titles and a folder for Flux', async () => {
  const first = await run('push', at('team/lock:v1'));
  const second = await run('push', at('team/lock:v2'), '-o', 'json');
  expect([first.code, second.code]).toEqual([0, 0]);
  const { schemaVersion, digest, pinned } = JSON.parse(second.stdout);
  expect([schemaVersion, `${pinned}\n`]).toEqual([1, first.stdout]);
  const url = `http://${registry.host}/v2/team/lock/manifests/${digest}`;
  const manifest = JSON.parse(await (await fetch(url)).text());
  expect(manifest).toMatchObject({
    artifactType: 'application/vnd.xpkg-resolve.lock.v1',
    config: { mediaType: 'application/vnd.cncf.flux.config.v1+json' },
    annotations: {
      'org.opencontainers.image.revision': `xpkg.lock.yaml@${sha256(await lockfile())}`,
    },
  });
  const [folder] = manifest.layers;
  expect(folder.mediaType).toBe('application/vnd.cncf.flux.content.v1.tar+gzip');
  const packed = await fetch(`http://${registry.host}/v2/team/lock/blobs/${folder.digest}`);
  const files = await tarEntries(gunzipSync(Buffer.from(await packed.arrayBuffer())));
  expect(files).toEqual(await folderContents());
  const titles = manifest.layers.map(
    (layer: { annotations?: Record<string, string> }) =>
      layer.annotations?.['org.opencontainers.image.title'],
  );
  expect(titles).toEqual(expect.arrayContaining(['xpkg.lock.yaml', 'rendered/packages.yaml']));
});

test('--dry-run prints what would be pushed and pushes nothing', async () => {
  const dry = await run('push', at('team/packages:v1'), '--dry-run');
  expect(dry).toMatchObject({ code: 0, notes: [`would push ${at('team/packages:v1')}`] });
  expect(registry.asked.filter((line) => !line.startsWith('GET'))).toEqual([]);
  expect((await run('push', at('team/packages:v1'))).stdout).toBe(dry.stdout);
});

test('pushes a lockfile of an older version, with a release without v, unchanged', async () => {
  const older = (await lockfile()).replace(/^crossplane: v/m, 'crossplane: ');
  expect(older).not.toBe(await lockfile());
  await writeFile(join(folder, 'xpkg.lock.yaml'), older);
  expect((await run('push', at('team/lock:v1'))).code).toBe(0);
  const url = `http://${registry.host}/v2/team/lock/manifests/v1`;
  expect(await (await fetch(url)).text()).toContain(sha256(older));
});

test('renders as in the folder, unless flags override it', async () => {
  const pushed = async (...flags: readonly string[]) => {
    const { stdout } = await run('push', at('team/lock:v1'), '-o', 'json', ...flags);
    return (JSON.parse(stdout) as { readonly digest: string }).digest;
  };
  const [byTag, byDigest] = [await pushed(), await pushed('--pin', 'digest')];
  expect(byDigest).not.toBe(byTag);
  await run('render', '--pin', 'digest');
  expect(await pushed()).toBe(byDigest);
  expect(await pushed('--pin', 'tag')).toBe(byTag);
  await run('render', '--pin', 'tag');
  await run('render', '--pin', 'digest', '--out', 'elsewhere');
  expect([await pushed(), await pushed('--out', 'elsewhere')]).toEqual([byTag, byDigest]);
});

test('sets the annotations that Flux shows as the origin', async () => {
  const flags = ['--source', 'https://git.example.org/platform.git', '--revision', 'main@sha1:abc'];
  const io = fakeIo({ cwd: folder, env: { DOCKER_CONFIG: folder, SOURCE_DATE_EPOCH: '86400' } });
  expect(await runCli(['push', at('team/lock:v1'), ...flags], io)).toBe(0);
  const answer = await fetch(`http://${registry.host}/v2/team/lock/manifests/v1`);
  expect(JSON.parse(await answer.text()).annotations).toEqual({
    'org.opencontainers.image.created': '1970-01-02T00:00:00.000Z',
    'org.opencontainers.image.source': 'https://git.example.org/platform.git',
    'org.opencontainers.image.revision': 'main@sha1:abc',
  });
});

test('a folder of many files becomes one layer, also with --flux', async () => {
  const flux = ['--flux', 'flux', '--split', '--flux-source', 'OCIRepository/packages'];
  expect((await run('render', ...flux)).code).toBe(0);
  expect((await run('push', at('team/lock:v1'), '--out', 'flux')).code).toBe(0);
  const answer = await fetch(`http://${registry.host}/v2/team/lock/manifests/v1`);
  const { layers } = JSON.parse(await answer.text());
  const packed = await fetch(`http://${registry.host}/v2/team/lock/blobs/${layers[0].digest}`);
  const files = await tarEntries(gunzipSync(Buffer.from(await packed.arrayBuffer())));
  expect(files).toEqual(await folderContents('flux'));
  expect(files['flux.yaml']).toContain('path: "./layer-00"');
});

test('interrupted before any request, a tag keeps its digest, and the next push completes it', async () => {
  const limit = { left: Infinity };
  await registry.stop();
  const spent: Fault = (...request) => (limit.left -= 1) < 0 && status(403)(...request);
  await serve({ faults: [spent, pushSide()] });
  const tagged = async () => {
    const answer = await fetch(`http://${registry.host}/v2/team/lock/manifests/v1`);
    return answer.headers.get('docker-content-digest');
  };
  await run('push', at('team/lock:v1'));
  const old = await tagged();
  const before = await readdir(folder, { recursive: true });
  for (let requests = 0; ; requests += 1) {
    limit.left = requests;
    const { code } = await run('push', at('team/lock:v1'), '--pin', 'digest');
    limit.left = Infinity;
    if (code === 0) {
      expect(requests).toBeGreaterThan(4);
      expect(await tagged()).not.toBe(old);
      break;
    }
    expect([code, await tagged()]).toEqual([5, old]);
  }
  expect(await readdir(folder, { recursive: true })).toEqual(before);
});

describe('a pushed lockfile', () => {
  beforeEach(async () => {
    await run('push', at('team/lock:v1'));
  });

  test('is checked, rendered and used from its registry', async () => {
    const lock = ['--lock', at('team/lock:v1')];
    expect((await run(...RESOLVE_DEMO, ...DEMO_SOURCE, '--locked', ...lock)).code).toBe(0);
    expect(
      (await run(...RESOLVE_DEMO, '--frozen', '--offline', ...lock, '--cache', 'kept')).code,
    ).toBe(5);
    const rendered = await run('render', '--out', '-');
    expect(await run('render', '--out', '-', ...lock)).toEqual(rendered);
  });

  test('cannot be changed by resolve', async () => {
    const resolve = [...RESOLVE_DEMO, ...DEMO_SOURCE, '--lock', at('team/lock:v1')];
    expect((await run(...resolve)).code).toBe(0);
    expect((await run(...resolve, '--crossplane', 'v2.2.0', '--no-write')).code).toBe(0);
    expect((await run(...resolve, '--crossplane', 'v2.2.0')).code).toBe(2);
  });

  test('is a source of its locked packages, which gives the same lockfile', async () => {
    const before = await lockfile();
    await rm(join(folder, 'xpkg.lock.yaml'));
    const { code } = await run(...RESOLVE_DEMO, '--from', at('team/lock:v1'));
    expect([code, await lockfile()]).toEqual([0, before]);
  });

  test('is downloaded once and then available offline', async () => {
    const flags = ['--from', at('team/lock:v1'), '--cache', 'kept', '--locked'];
    expect((await run(...RESOLVE_DEMO, ...flags)).code).toBe(0);
    const asked = registry.asked.length;
    expect((await run(...RESOLVE_DEMO, ...flags, '--offline')).code).toBe(0);
    expect(registry.asked).toHaveLength(asked);
  });
});

test.each([
  { argv: ['render', '--out', '-'] },
  { argv: ['tree'] },
  { argv: ['why', 'configuration-cluster'] },
  { argv: [...RESOLVE_DEMO, '--frozen', '--no-write'] },
])('$argv.0 signs in to read a pushed lockfile, and can read it offline', async ({ argv }) => {
  await registry.stop();
  const access = { mode: 'basic', user: 'ann', password: 's3cret' } as const;
  await serve({ access, faults: [pushSide({ authorized: true })] });
  const auths = { [registry.host]: { username: 'ann', password: 's3cret' } };
  await writeFile(join(folder, 'secret.json'), JSON.stringify({ auths }));
  const secret = ['--pull-secret', 'secret.json'];
  expect((await run('push', at('team/lock:v1'), ...secret)).code).toBe(0);
  const lock = ['--lock', at('team/lock:v1')];
  expect((await run(...argv, ...lock)).code).toBe(5);
  expect((await run(...argv, ...lock, ...secret, '--cache', 'kept')).code).toBe(0);
  const asked = registry.asked.length;
  expect((await run(...argv, ...lock, '--cache', 'kept', '--offline')).code).toBe(0);
  expect(registry.asked).toHaveLength(asked);
});

test.each(['', 'index:'])('a pushed index is read by --from %soci://…', async (prefix) => {
  expect((await run('index', 'push', at('team/index:v1'), ...DEMO_SOURCE)).code).toBe(0);
  const before = await lockfile();
  await rm(join(folder, 'xpkg.lock.yaml'));
  const { code } = await run(...RESOLVE_DEMO, '--from', `${prefix}${at('team/index:v1')}`);
  expect([code, await lockfile()]).toEqual([0, before]);
});

test('an index and packages at one registry need one challenge and one token each', async () => {
  await registry.stop();
  await serve({ access: { mode: 'bearer' }, faults: [pushSide({ authorized: true })] });
  registry.push('a/p', 'v1.0.0', await packageImage(providerYaml('p')));
  await run('index', 'push', at('team/index:v1'), ...DEMO_SOURCE);
  const asked = registry.log.length;
  const from = ['--from', `index:${at('team/index:v1')}`, '--from', 'registry', '--trace'];
  const { code, notes } = await run('inspect', `${registry.host}/a/p:v1.0.0`, ...from);
  expect(code).toBe(0);
  expect(notes.filter((line) => line.includes('https://'))).toHaveLength(1);
  const refused = notes.filter((line) => line.includes(': 401'));
  const tokens = registry.asked.slice(asked).filter((line) => line.includes('/token?'));
  expect([refused.length, tokens.length]).toEqual([1, 2]);
});

test.each([
  { why: 'no tag', argv: () => ['push', at('team/lock')] },
  { why: 'a digest', argv: () => ['push', `${at('team/lock')}@sha256:${'0'.repeat(64)}`] },
  { why: 'no scheme', argv: () => ['push', `${registry.host}/team/lock:v1`] },
  { why: 'nowhere', argv: () => ['index', 'push', ...DEMO_SOURCE] },
  {
    why: 'offline, with or without a cache',
    argv: () => ['push', at('team/lock:v1'), '--offline', '--cache', 'kept'],
  },
  {
    why: 'offline',
    argv: () => ['index', 'push', at('team/index:v1'), ...DEMO_SOURCE, '--offline'],
  },
])('rejects an impossible push before any request: $why', async ({ argv }) => {
  expect((await run(...argv())).code).toBe(2);
  expect(registry.log.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('a package is not a lockfile', async () => {
  registry.push('a/p', 'v1.0.0', await packageImage(providerYaml('p')));
  expect((await run('render', '--lock', at('a/p:v1.0.0'))).code).toBe(5);
  expect((await run('render', '--lock', at('a/none:v1.0.0'))).code).toBe(4);
});

test('sends nothing to a registry that redirects uploads to another host', async () => {
  const elsewhere = registry;
  await serve({
    faults: [pushSide({ location: `http://${elsewhere.host}/v2/x/blobs/uploads/1` })],
  });
  const { code } = await run('push', at('team/lock:v1'));
  expect([code, elsewhere.log]).toEqual([5, []]);
  expect(registry.log.filter(({ method }) => method === 'PUT')).toEqual([]);
  await elsewhere.stop();
});

test('requests push access by name, with the credentials of docker', async () => {
  await registry.stop();
  const access = { mode: 'bearer', user: 'ann', password: 's3cret' } as const;
  await serve({ access, faults: [pushSide({ authorized: true })] });
  const auth = Buffer.from('ann:s3cret').toString('base64');
  const config = JSON.stringify({ auths: { [registry.host]: { auth } } });
  await writeFile(join(folder, 'config.json'), config);
  expect((await run('push', at('team/lock:v1'))).code).toBe(0);
  const tokens = registry.asked.filter((line) => line.includes('/token?'));
  expect(tokens).toHaveLength(1);
  expect(decodeURIComponent(tokens[0]!)).toContain('scope=repository:team/lock:pull,push');
});
