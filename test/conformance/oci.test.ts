import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/commands.js';
import { sha256 } from '../../src/base/digest.js';
import { fakeIo } from '../support/fake-io.js';
import { DockerRegistry } from './docker-registry.js';
import { tool } from './tools.js';

const ACCOUNT = { user: 'ann', password: 's3cret' };
const CROSSPLANE = 'v2.3.4';
let folder: string;
let open: DockerRegistry;
let closed: DockerRegistry;

function path(...parts: readonly string[]): string {
  return join(folder, ...parts);
}

async function write(file: string, text: string): Promise<string> {
  await mkdir(dirname(path(file)), { recursive: true });
  await writeFile(path(file), text);
  return path(file);
}

async function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const io = fakeIo({ cwd: folder, env });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

/** Runs a command that must succeed and returns its JSON output. */
async function answer(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, notes } = await run([...argv, '-o', 'json'], env);
  expect([code, ...(code === 0 ? [] : notes)]).toEqual([0]);
  return JSON.parse(stdout);
}

function meta(kind: string, name: string, spec = ''): string {
  return `apiVersion: meta.pkg.crossplane.io/v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${spec}`;
}

const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: buckets.acme.example.org
spec:
  group: acme.example.org
  names: { kind: Bucket, plural: buckets, listKind: BucketList, singular: bucket }
  scope: Cluster
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object } }
`;

/** Creates a runtime image for a platform with `umoci`, packed by `skopeo`. */
async function runtimeImage(architecture: string): Promise<string> {
  const image = `${path('runtime')}:${architecture}`;
  tool('umoci', ['new', '--image', image]);
  tool('umoci', ['config', '--image', image, '--architecture', architecture, '--os', 'linux']);
  const program = await write(`program-${architecture}`, `for ${architecture}\n`);
  tool('umoci', ['insert', '--rootless', '--image', image, program, '/provider']);
  const tar = path(`runtime-${architecture}.tar`);
  tool('skopeo', ['copy', '--insecure-policy', `oci:${image}`, `docker-archive:${tar}`]);
  return tar;
}

function build(cli: string, root: string, file: string, ...flags: readonly string[]): string {
  const out = path(file);
  tool(cli, ['xpkg', 'build', '-f', path(root), '-o', out, ...flags]);
  return out;
}

function push(cli: string, files: readonly string[], reference: string, config?: string): void {
  const env: Record<string, string> = config === undefined ? {} : { DOCKER_CONFIG: config };
  tool(cli, ['xpkg', 'push', '-f', files.join(','), reference], env);
}

/**
 * Pushes one package for several platforms.
 *
 * Pushes each one separately first: the CLI pushes them in parallel, and docker-registry sometimes
 * loses one of two uploads of the same blob.
 */
function pushPlatforms(files: readonly string[], reference: string, config?: string): void {
  const repository = reference.slice(0, reference.lastIndexOf(':'));
  for (const [i, file] of files.entries()) {
    push('crossplane', [file], `${repository}:platform-${i}`, config);
  }
  push('crossplane', files, reference, config);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oci-conformance-'));
  [open, closed] = await Promise.all([DockerRegistry.start(), DockerRegistry.start(ACCOUNT)]);
  const dependsOn = `spec:
  dependsOn:
    - provider: ${open.host}/acme/provider
      version: ">=v1.0.0"
    - function: ${open.host}/acme/function
      version: "v1.0.0"
`;
  await write('configuration/crossplane.yaml', meta('Configuration', 'platform', dependsOn));
  await write('provider/crossplane.yaml', meta('Provider', 'provider'));
  await write('provider/crds/bucket.yaml', CRD);
  await write('function/crossplane.yaml', meta('Function', 'function'));

  tool('umoci', ['init', '--layout', path('runtime')]);
  const provider: string[] = [];
  for (const architecture of ['arm64', 'amd64']) {
    const runtime = ['--embed-runtime-image-tarball', await runtimeImage(architecture)];
    provider.push(build('crossplane', 'provider', `provider-${architecture}.xpkg`, ...runtime));
  }
  const configuration = build('crossplane', 'configuration', 'configuration.xpkg');
  const old = build('crank', 'function', 'function.xpkg');
  for (const tag of ['v1.0.0', 'v1.1.0']) {
    pushPlatforms(provider, `${open.host}/acme/provider:${tag}`);
  }
  push('crossplane', [configuration], `${open.host}/acme/platform:v1.0.0`);
  push('crank', [old], `${open.host}/acme/function:v1.0.0`);

  const auth = Buffer.from(`${ACCOUNT.user}:${ACCOUNT.password}`).toString('base64');
  await write('docker/config.json', JSON.stringify({ auths: { [closed.host]: { auth } } }));
  pushPlatforms(provider, `${closed.host}/acme/provider:v1.0.0`, path('docker'));
}, 300_000);

afterAll(async () => {
  await Promise.all([open.stop(), closed.stop()]);
  await rm(folder, { recursive: true });
});

function resolving(...flags: readonly string[]): string[] {
  return ['resolve', `${open.host}/acme/platform@>=v1.0.0`, '--crossplane', CROSSPLANE, ...flags];
}

function verifying(...flags: readonly string[]): string[] {
  return ['verify', `${open.host}/acme/platform@>=v1.0.0`, '--crossplane', CROSSPLANE, ...flags];
}

/** Returns the digest of a tag, as another client reads it. */
function digestOf(reference: string): string {
  return tool('crane', ['digest', reference]).trim();
}

describe('packages built and pushed by the crossplane CLI', () => {
  test('resolve, with the minimum number of requests', async () => {
    open.forget();
    const { packages, stats } = await answer(resolving('--cache', 'cache'));
    const found = packages.map(({ source, version, digest }: Record<string, string>) => [
      source!.slice(open.host.length + 1),
      version,
      digest,
    ]);
    expect(found).toEqual(
      [
        ['acme/function', 'v1.0.0'],
        ['acme/platform', 'v1.0.0'],
        ['acme/provider', 'v1.1.0'],
      ].map(([name, tag]) => [name, tag, digestOf(`${open.host}/${name}:${tag}`)]),
    );
    await expect.poll(() => asked('blobs')).toBe(3);
    // The function is requested by its exact tag, which needs no tag list; the provider is an
    // index.
    expect([asked('tags/list'), asked('manifests')]).toEqual([2, 3 + 1]);
    process.stdout.write(
      `cold resolve of 3 packages: ${asked('tags/list')} tag lists, ${asked('manifests')} manifests, ${asked('blobs')} layers, ${stats.bytes} bytes\n`,
    );
  });

  test('with a warm cache, only need requests for what may have changed', async () => {
    await answer(resolving('--cache', 'cache'));
    await new Promise((settled) => setTimeout(settled, 500));
    open.forget();
    const { stats } = await answer(resolving('--cache', 'cache'));
    await expect.poll(() => asked('tags/list')).toBe(2);
    expect(asked('blobs')).toBe(0);
    process.stdout.write(`warm resolve: ${stats.bytes} bytes\n`);
    await answer(resolving('--cache', 'cache', '--offline', '--locked'));
  });

  test.each([
    { cli: 'crossplane v2', file: 'configuration.xpkg', name: 'acme/platform' },
    { cli: 'crank v1.20', file: 'function.xpkg', name: 'acme/function' },
  ])(
    'have the digest that pushing gave them, read from the file ($cli)',
    async ({ file, name }) => {
      const reference = `${open.host}/${name}:v1.0.0`;
      const from = `xpkg:${file}=${reference}`;
      const { packages } = await answer([
        'resolve',
        reference,
        '--crossplane',
        CROSSPLANE,
        '--from',
        from,
        '--from',
        'registry',
        '--no-write',
      ]);
      const [found] = packages.filter(({ source }: { source: string }) => source.endsWith(name));
      expect(found.digest).toBe(digestOf(reference));
    },
  );

  test('can be read only with the credentials in a docker config.json', async () => {
    const reference = `${closed.host}/acme/provider:v1.0.0`;
    const argv = ['resolve', reference, '--crossplane', CROSSPLANE, '--no-write'];
    expect((await run(argv)).code).toBe(5);
    const { packages } = await answer(argv, { DOCKER_CONFIG: path('docker') });
    expect(packages[0].digest).toBe(digestOf(`${open.host}/acme/provider:v1.0.0`));
  });
});

function asked(what: string): number {
  return open.answered.filter((line) => line.includes(`/${what}`)).length;
}

describe('layouts of other tools', () => {
  test.each([
    {
      by: 'oras',
      write: (from: string, to: string) =>
        tool('oras', ['copy', '--from-plain-http', from, '--to-oci-layout', `${to}:v1.1.0`]),
      named: '',
    },
    {
      by: 'crane',
      write: (from: string, to: string) => tool('crane', ['pull', '--format', 'oci', from, to]),
      named: ':v1.1.0',
    },
  ])('$by: an index, read with its digest', async ({ by, write: copy, named }) => {
    const repository = `${open.host}/acme/provider`;
    copy(`${repository}:v1.1.0`, path(`by-${by}`));
    const { packages } = await answer([
      'resolve',
      `${repository}:v1.1.0`,
      '--crossplane',
      CROSSPLANE,
      '--offline',
      '--no-write',
      '--from',
      `layout:by-${by}=${repository}${named}`,
    ]);
    expect(packages[0].digest).toBe(digestOf(`${repository}:v1.1.0`));
  });
});

test('reads an image that skopeo converted from Docker, with its new digest', async () => {
  const repository = `${open.host}/acme/provider`;
  const to = `oci:${path('by-skopeo')}:v1.1.0`;
  const flags = ['--insecure-policy', '--all', '--src-tls-verify=false'];
  tool('skopeo', ['copy', ...flags, `docker://${repository}:v1.1.0`, to]);
  const { packages } = await answer([
    'resolve',
    `${repository}:v1.1.0`,
    '--crossplane',
    CROSSPLANE,
    '--offline',
    '--no-write',
    '--lock',
    'by-skopeo.lock.yaml',
    '--from',
    `layout:by-skopeo=${repository}`,
  ]);
  expect(packages).toMatchObject([
    { kind: 'Provider', digest: sha256(tool('skopeo', ['inspect', '--raw', to])) },
  ]);
});

test.each([
  { by: 'crane', argv: ['copy'] },
  { by: 'oras', argv: ['copy', '-r', '--from-plain-http', '--to-plain-http'] },
])('a mirror made by $by has the same digests', ({ by, argv }) => {
  const [from, to] = ['acme', `by-${by}`].map((team) => `${open.host}/${team}/provider:v1.1.0`);
  tool(by, [...argv, from!, to!]);
  expect(digestOf(to!)).toBe(digestOf(from!));
});

test('artifacts of oras and cosign next to packages do not prevent an index', async () => {
  const repository = `${open.host}/signed/function`;
  tool('crane', ['copy', `${open.host}/acme/function:v1.0.0`, `${repository}:v1.0.0`]);
  const file = await write('readme.md', 'Read me.\n');
  const flags = ['--plain-http', '--disable-path-validation'];
  tool('oras', ['push', ...flags, `${repository}:docs`, file]);
  const type = ['--artifact-type', 'application/vnd.me.sbom'];
  tool('oras', ['attach', ...flags, ...type, `${repository}:v1.0.0`, file]);
  const signature = `${digestOf(`${repository}:v1.0.0`).replace(':', '-')}.sig`;
  const layer = `${file}:application/vnd.dev.cosign.simplesigning.v1+json`;
  tool('oras', ['push', ...flags, `${repository}:${signature}`, layer]);
  expect(tool('crane', ['ls', repository]).trim().split('\n')).toHaveLength(4);
  const { code, stdout, notes } = await run(['index', repository]);
  expect([code, notes]).toEqual([0, [expect.stringContaining(':docs')]]);
  expect(Object.keys(JSON.parse(stdout).packages[repository].versions)).toEqual(['v1.0.0']);
});

/** Runs crane against the registry with a password. */
function crane(...args: readonly string[]): string {
  return tool('crane', args, { DOCKER_CONFIG: path('docker') }).trim();
}

function orasCopy(layout: string, name: string, to: string): void {
  const from = `${path(layout)}@${digestOf(`${open.host}/acme/${name}`)}`;
  const login = ['--to-registry-config', path('docker/config.json'), '--to-plain-http'];
  tool('oras', ['copy', '-r', ...login, '--from-oci-layout', from, to]);
}

describe('verifying packages that the crossplane CLI built and pushed', () => {
  beforeAll(async () => {
    await answer(resolving());
  });

  test('everything is as locked: diffIDs in the configs, one package for every platform', async () => {
    expect(await run(verifying())).toMatchObject({ code: 0, notes: [] });
  });

  test('a tag that crane moves is reported with both digests, and accepted after it was moved back', async () => {
    const name = `${open.host}/acme/provider`;
    const locked = digestOf(`${name}:v1.1.0`);
    tool('crane', ['tag', `${name}:platform-0`, 'v1.1.0']);
    const found = digestOf(`${name}:v1.1.0`);
    expect(found).not.toBe(locked);
    const { code, stdout } = await run(verifying('-o', 'json'));
    expect(code).toBe(4);
    expect(JSON.parse(stdout).mismatches).toEqual([
      expect.objectContaining({ kind: 'tag-moved', source: name, locked, found }),
    ]);
    expect((await run(resolving('--locked'))).code).toBe(4);
    tool('crane', ['tag', `${name}@${locked}`, 'v1.1.0']);
    expect((await run(verifying())).code).toBe(0);
  });
});

describe('other tools read what is written here', () => {
  beforeAll(async () => {
    await answer(resolving());
  });

  test('a vendored layout alone resolves to the same lockfile', async () => {
    await run(['vendor', 'alone']);
    const { packages } = await answer(resolving('--from', 'layout:alone', '--offline', '--locked'));
    expect(packages).toHaveLength(3);
  });

  describe('vendored images', () => {
    const PROVIDER = 'provider:v1.1.0';

    beforeAll(async () => {
      expect(await run(['vendor', 'whole', '--full'])).toMatchObject({ code: 0 });
      expect(await run(['vendor', 'needed'])).toMatchObject({ code: 0 });
    });

    test.each([PROVIDER, 'platform:v1.0.0', 'function:v1.0.0'])(
      'whole, %s is copied to a registry by oras, every platform of it, and valid to crane',
      (name) => {
        const to = `${closed.host}/by-oras/${name}`;
        orasCopy('whole', name, to);
        crane('validate', '--remote', to);
        expect(crane('digest', to)).toBe(digestOf(`${open.host}/acme/${name}`));
      },
    );

    test('complete images are copied by skopeo, although Docker images get another digest', () => {
      const to = `${closed.host}/by-skopeo/${PROVIDER}`;
      const login = ['--dest-tls-verify=false', '--dest-authfile', path('docker/config.json')];
      const from = `oci:${path('whole')}:${open.host}/acme/${PROVIDER}`;
      tool('skopeo', ['copy', '--all', '--insecure-policy', ...login, from, `docker://${to}`]);
      crane('validate', '--remote', to);
      expect(JSON.parse(crane('manifest', to))).toMatchObject({
        manifests: [
          { platform: { architecture: 'arm64' } },
          { platform: { architecture: 'amd64' } },
        ],
      });
    });

    test('images with only the parts that resolving reads cannot be copied', () => {
      const to = `${closed.host}/in-part/${PROVIDER}`;
      expect(() => orasCopy('needed', PROVIDER, to)).toThrow('not found');
    });
  });

  test('`oras pull` writes a pushed lockfile, and crane reports the same digest', async () => {
    const { pinned } = await answer(['push', `oci://${open.host}/team/lock:v1`]);
    expect(pinned).toBe(`oci://${open.host}/team/lock@${digestOf(`${open.host}/team/lock:v1`)}`);
    tool('oras', ['pull', '--plain-http', `${open.host}/team/lock:v1`, '-o', path('pulled')]);
    for (const file of ['xpkg.lock.yaml', 'rendered/packages.yaml', 'rendered/lock.yaml']) {
      const [ours, theirs] = [await readFile(path(file)), await readFile(path('pulled', file))];
      expect(theirs.equals(ours)).toBe(true);
    }
    await answer(resolving('--locked', '--lock', pinned, '--from', pinned));
  });

  test('an index is pushed with a password, and read back', async () => {
    const reference = `oci://${closed.host}/team/index:v1`;
    const env = { DOCKER_CONFIG: path('docker') };
    const names = ['platform', 'provider', 'function'].map((name) => `${open.host}/acme/${name}`);
    expect((await run(['index', 'push', reference, ...names])).code).toBe(5);
    expect(await run(['index', 'push', reference, ...names], env)).toMatchObject({ code: 0 });
    await answer(resolving('--locked', '--from', `index:${reference}`), env);
  });
});
