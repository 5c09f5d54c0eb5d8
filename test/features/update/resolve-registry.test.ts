import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { byCodePoint } from '../../../src/base/collections.js';
import { fakeIo } from '../../support/fake-io.js';
import { instead, late, on, status } from '../../support/registry/faults.js';
import { BASE, imageOf, indexOf, layerOf, packageImage } from '../../support/registry/image.js';
import { Registry, type RegistryOptions } from '../../support/registry/registry.js';

const AMD64 = { os: 'linux', architecture: 'amd64' };
let folder: string;
let registry: Registry | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resolve-registry-'));
});

afterEach(async () => {
  await registry?.stop();
  registry = undefined;
  await rm(folder, { recursive: true });
});

function meta(kind: string, name: string, ...dependsOn: readonly object[]): string {
  const document = {
    apiVersion: 'meta.pkg.crossplane.io/v1',
    kind,
    metadata: { name },
    spec: { dependsOn },
  };
  return JSON.stringify(document);
}

/** A Configuration that requires a provider by range and a function by digest. */
async function platform(options: RegistryOptions = {}): Promise<Registry> {
  const started = await new Registry(options).start();
  registry = started;
  const at = (path: string) => `${started.host}/${path}`;
  const provider = await packageImage(meta('Provider', 'p'));
  const fn = indexOf([{ image: await packageImage(meta('Function', 'f')), platform: AMD64 }]);
  const configuration = await packageImage(
    meta(
      'Configuration',
      'c',
      { provider: at('a/p'), version: '>=v1.0.0' },
      { function: at('a/f'), version: fn.digest },
    ),
  );
  const old = await packageImage(meta('Provider', 'old'));
  return started
    .push('a/c', 'v1.0.0', configuration)
    .push('a/p', 'v1.0.0', old)
    .push('a/p', 'v1.2.0', provider)
    .push('a/f', undefined, fn);
}

async function run(...args: readonly string[]) {
  const io = fakeIo({ cwd: folder, env: { SOURCE_DATE_EPOCH: '1795046400' } });
  const code = await runCli(
    ['resolve', '--crossplane', 'v2.3.4', '--no-write', '-o', 'json', ...args],
    io,
  );
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

test('requests siblings in parallel, each once, with at most --concurrency requests', async () => {
  const started = await new Registry({ faults: [late(50)] }).start();
  registry = started;
  const at = (path: string) => `${started.host}/${path}`;
  const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `x/provider-x-${name}`);
  for (const name of names) {
    const image = await packageImage(meta('Provider', name));
    started.push(name, 'v1.0.0', image).push(name, 'v1.1.0', image);
  }
  const needs = names.map((name) => ({ provider: at(name), version: '>=v1.0.0' }));
  started.push('x/c', 'v1.0.0', await packageImage(meta('Configuration', 'c', ...needs)));
  const { code, stdout } = await run(`${at('x/c')}:v1.0.0`, '--concurrency', '4');
  expect(code).toBe(EXIT.done);
  const { stats } = JSON.parse(stdout) as { stats: object };
  expect(stats).toMatchObject({ listed: 6, fetched: 7, conflicts: 0 });
  const count = (what: string) => started.asked.filter((line) => line.includes(what)).length;
  expect([count('/tags/'), count('/manifests/'), count('/blobs/')]).toEqual([6, 7, 7]);
  // The first answer decides between HTTPS and HTTP; its connection may still be open.
  expect([4, 5]).toContain(started.mostConnections);
});

test('requests only what the answer needs', async () => {
  const { host, log } = await platform();
  const { code, stdout } = await run(`${host}/a/c:v1.0.0`);
  expect(code).toBe(EXIT.done);
  const answer = JSON.parse(stdout) as {
    packages: { source: string; version: string }[];
    stats: { bytes: number; listed: number; fetched: number };
  };
  expect(answer.packages.map(({ version }) => version.slice(0, 6))).toEqual([
    'v1.0.0',
    'sha256',
    'v1.2.0',
  ]);
  const asked = log.map(({ path }) => /\/v2\/a\/(.)\/(\w+)/.exec(path)!.slice(1).join(' '));
  expect(asked.sort(byCodePoint)).toEqual([
    'c blobs',
    'c manifests',
    'f blobs',
    'f manifests',
    'f manifests',
    'p blobs',
    'p manifests',
    'p tags',
  ]);
  expect(log.every(({ method }) => method === 'GET')).toBe(true);
  expect(answer.stats).toMatchObject({ listed: 1, fetched: 3 });
  expect(answer.stats.bytes).toBeGreaterThan(1000);
});

test('ImageConfigs in the input redirect to a mirror; the answer keeps the original names', async () => {
  const { host } = await platform();
  const inputs = [
    {
      apiVersion: 'pkg.crossplane.io/v1beta1',
      kind: 'ImageConfig',
      metadata: { name: 'mirror' },
      spec: { matchImages: [{ prefix: 'xpkg.io' }], rewriteImage: { prefix: host } },
    },
    {
      apiVersion: 'pkg.crossplane.io/v1',
      kind: 'Provider',
      metadata: { name: 'p' },
      spec: { package: 'xpkg.io/a/p:v1.2.0' },
    },
  ];
  const text = inputs.map((input) => JSON.stringify(input)).join('\n---\n');
  await writeFile(join(folder, 'in.yaml'), text);
  const { code, stdout } = await run('-f', 'in.yaml');
  expect(code).toBe(EXIT.done);
  expect(JSON.parse(stdout)).toMatchObject({ packages: [{ source: 'xpkg.io/a/p' }] });
});

test('reports an incomplete copy and the command for a complete one', async () => {
  const started = await platform();
  const layer = await layerOf([{ name: 'package.yaml', content: meta('Provider', 'q') }]);
  started.push('a/q', 'v1.0.0', imageOf([layer]));
  const { code, stderr } = await run(`${started.host}/a/q:v1.0.0`);
  expect(code).toBe(EXIT.done);
  expect(stderr).toMatch(/a\/q v1\.0\.0: no layer is marked .*crane copy/);
});

describe('a failing source ends the run with 5, and no other version is chosen', () => {
  test.each([
    { why: 'wrong bytes', faults: [on('/blobs/', instead('x'))] },
    { why: 'no access', faults: [on('/a/p/', status(403))] },
    { why: 'an invalid manifest', faults: [on('/a/p/manifests/v1.2.0', instead('{}'))] },
    { why: 'an invalid tag list', faults: [on('/tags/', instead('[]'))] },
  ])('$why', async ({ faults }) => {
    const started = await platform({ faults });
    const { code, stdout } = await run(`${started.host}/a/c:v1.0.0`);
    expect(code).toBe(EXIT.sourceFailed);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'error', exitCode: 5 });
    expect(started.asked).not.toContain('GET /v2/a/p/manifests/v1.0.0');
  });
});

test('a version that the target rejects is skipped', async () => {
  const started = await platform();
  const child = await packageImage(meta('Provider', 'arm'));
  const platformOf = { os: 'linux', architecture: 'arm64' };
  started.push('a/p', 'v1.3.0', indexOf([{ image: child, platform: platformOf }]));
  const { code, stdout } = await run(`${started.host}/a/p@>=v1.0.0`);
  expect(code).toBe(EXIT.done);
  expect(JSON.parse(stdout)).toMatchObject({ packages: [{ version: 'v1.2.0' }] });
});

test('offline without a cached copy is 5, a missing tag is 3', async () => {
  const { host } = await platform();
  expect((await run(`${host}/a/c:v1.0.0`, '--offline')).code).toBe(EXIT.sourceFailed);
  expect((await run(`${host}/a/c:v9.0.0`)).code).toBe(EXIT.unsolvable);
  expect((await run(`${host}/a/nothing:v1.0.0`)).code).toBe(EXIT.unsolvable);
});

test('flags reach the registry client: --trace, --pull-secret, --insecure-registry', async () => {
  const { host } = await platform({
    access: { mode: 'basic', user: 'ann', password: 's3cret' },
  });
  const auths = { [host]: { username: 'ann', password: 's3cret' } };
  await writeFile(join(folder, 'config.json'), JSON.stringify({ auths }));
  const flags = ['--trace', '--pull-secret', 'config.json', '--insecure-registry', host];
  const { code, stderr } = await run(`${host}/a/p:v1.2.0`, ...flags);
  expect(code).toBe(EXIT.done);
  expect(stderr).toMatch(/^trace: GET http:.*200, \d+ bytes, basic$/m);
  expect(stderr).not.toMatch(/s3cret|YW5uOnMzY3JldA/);
});

test.each(['p', 'q'])(
  'what a mirror lacks is told in one order, though %s comes late',
  async (slow) => {
    registry = await new Registry({ faults: [on(`/nowhere/${slow}/tags`, late(150))] }).start();
    const { host } = registry;
    const config = {
      apiVersion: 'pkg.crossplane.io/v1beta1',
      kind: 'ImageConfig',
      metadata: { name: 'mirror' },
      spec: {
        matchImages: [{ prefix: `${host}/a` }],
        rewriteImage: { prefix: `${host}/nowhere` },
      },
    };
    await writeFile(join(folder, 'mirror.yaml'), JSON.stringify(config));
    const refs = ['p', 'q'].map((name) => `${host}/a/${name}@>=v1.0.0`);
    const { code, stderr } = await run(...refs, '-f', 'mirror.yaml');
    expect(code).toBe(EXIT.unsolvable);
    const told = stderr.split('\n').filter((line) => line.includes('/nowhere/'));
    expect(told).toEqual([expect.stringContaining('/a/p'), expect.stringContaining('/a/q')]);
  },
);

/** A provider with v1.0.0 from January and v1.1.0 from three days ago, with a minimum age. */
async function dated(version: string): Promise<string> {
  const started = await new Registry().start();
  registry = started;
  for (const [tag, created] of [
    ['v1.0.0', '2026-01-01T00:00:00Z'],
    ['v1.1.0', '2026-11-16T00:00:00Z'],
  ] as const) {
    const content = meta('Provider', tag);
    const base = await layerOf([{ name: 'package.yaml', content }], { annotations: BASE });
    started.push('a/p', tag, imageOf([base], JSON.stringify({ created })));
  }
  const provider = `${started.host}/a/p`;
  const set = {
    apiVersion: 'xpkg-resolve.dev/v1alpha1',
    kind: 'PackageSet',
    spec: { packages: [{ provider, version }], policy: { minimumAge: '7d' } },
  };
  await writeFile(join(folder, 'xpkg.yaml'), JSON.stringify(set, null, 1));
  return provider;
}

describe('a policy with a minimum age', () => {
  test('skips a tag that is too young, and states until when', async () => {
    const provider = await dated('>=v1.0.0');
    const { code, stdout, stderr } = await run('-f', 'xpkg.yaml');
    expect([code, stderr]).toEqual([EXIT.done, expect.any(String)]);
    const { packages } = JSON.parse(stdout) as { packages: object[] };
    expect(packages).toEqual([expect.objectContaining({ source: provider, version: 'v1.0.0' })]);
    expect(stderr).toContain('until 2026-11-23T00:00:00Z');
  });

  test('is named in the refusal if no other version fits', async () => {
    const provider = await dated('>=v1.1.0');
    const { code, stdout } = await run('-f', 'xpkg.yaml');
    expect(code).toBe(EXIT.unsolvable);
    expect((JSON.parse(stdout) as { explanation: string }).explanation).toMatch(
      new RegExp(
        `${provider} v1\\.1\\.0 is younger than the \`7d\` that the policy asks for \\(xpkg\\.yaml:\\d+\\), until 2026-11-23T00:00:00Z`,
      ),
    );
  });
});
