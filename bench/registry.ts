import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { DiskCache } from '../src/oci/store/disk-cache.js';
import { resolve } from '../src/resolver/resolve/resolve.js';
import { withConcurrencyLimit } from '../src/sources/decorators.js';
import { openRegistries } from '../src/sources/images/open-registries.js';
import { late } from '../test/support/registry/faults.js';
import { BASE, imageOf, layerOf, type Image } from '../test/support/registry/image.js';
import { Registry } from '../test/support/registry/registry.js';
import { requestFor } from '../test/support/requests.js';
import { markdown } from './markdown.js';

const LATENCY_MS = 25;
const PROVIDERS = 24;
const FUNCTIONS = 8;
const CRDS = 60;
const RUNTIME_BYTES = 2_000_000;

interface Measured {
  readonly requests: number;
  readonly bytes: number;
  readonly seconds: number;
}

/**
 * Measures a whole resolve from a remote registry, and a client that pulls the same images
 * completely.
 */
export async function registry(): Promise<string> {
  const server = await new Registry({ faults: [late(LATENCY_MS)] }).start();
  const names = await publish(server);
  const folder = await mkdtemp(join(tmpdir(), 'xpkg-bench-'));
  try {
    const rows: (readonly [string, Measured])[] = [
      ['whole images, 8 at once', await measured(server, () => pulled(server, names))],
      ['cold, `--concurrency 1`', await measured(server, () => resolved(server, 1))],
      ['cold, `--concurrency 8`', await measured(server, () => resolved(server, 8))],
    ];
    await resolved(server, 8, folder);
    rows.push(['warm', await measured(server, () => resolved(server, 8, folder))]);
    return markdown([
      ['34 packages', 'requests', 'kB', 'seconds', 'time'],
      ...rows.map(([what, { requests, bytes, seconds }]) => [
        what,
        requests,
        Math.round(bytes / 1000),
        seconds.toFixed(2),
        `${(seconds / rows[0]![1].seconds).toFixed(2)} ×`,
      ]),
    ]);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

/** Publishes a configuration that requires providers of one family, and functions. */
async function publish(server: Registry): Promise<readonly string[]> {
  const at = (name: string) => `${server.host}/acme/${name}`;
  const needs = (kind: string, name: string) => ({ [kind]: at(name), version: '>=v1.0.0' });
  const family = 'provider-family-cloud';
  const providers = Array.from({ length: PROVIDERS }, (_, i) => `provider-cloud-${i}`);
  const functions = Array.from({ length: FUNCTIONS }, (_, i) => `function-${i}`);
  const names = ['configuration-platform', family, ...providers, ...functions];
  for (const name of [family, ...providers]) {
    const dependsOn = name === family ? [] : [needs('provider', family)];
    server.push(`acme/${name}`, 'v1.0.0', await image('Provider', name, dependsOn));
  }
  for (const name of functions) {
    server.push(`acme/${name}`, 'v1.0.0', await image('Function', name, []));
  }
  const all = [
    ...providers.map((name) => needs('provider', name)),
    ...functions.map((name) => needs('function', name)),
  ];
  server.push('acme/configuration-platform', 'v1.0.0', await image('Configuration', 'c', all));
  return names.map((name) => `acme/${name}`);
}

async function image(kind: string, name: string, dependsOn: readonly object[]): Promise<Image> {
  const meta = {
    apiVersion: 'meta.pkg.crossplane.io/v1',
    kind,
    metadata: { name },
    spec: { dependsOn },
  };
  const crds = kind === 'Provider' ? Array.from({ length: CRDS }, (_, i) => crd(name, i)) : [];
  const content = [meta, ...crds].map((each) => JSON.stringify(each)).join('\n---\n');
  const base = await layerOf([{ name: 'package.yaml', content }], { annotations: BASE });
  if (kind === 'Configuration') return imageOf([base]);
  const program = { name: 'bin/program', content: randomBytes(RUNTIME_BYTES) };
  return imageOf([base, await layerOf([program])]);
}

function crd(provider: string, i: number): object {
  const properties = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`field${n}`, { type: 'string', description: 'text' }]),
  );
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `r${i}.${provider}.example.org` },
    spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: { properties } } }] },
  };
}

async function measured(server: Registry, work: () => Promise<number>): Promise<Measured> {
  server.log.length = 0;
  const since = performance.now();
  const bytes = await work();
  return { requests: server.log.length, bytes, seconds: (performance.now() - since) / 1000 };
}

async function resolved(server: Registry, concurrency: number, folder?: string): Promise<number> {
  let bytes = 0;
  const source = openRegistries({
    env: {},
    connections: concurrency,
    observer: { bytes: (count) => (bytes += count) },
    cache: folder === undefined ? undefined : new DiskCache({ folder, offline: false, note }),
    toolVersion: 'bench',
  });
  const request = requestFor({ [`${server.host}/acme/configuration-platform`]: '>=v1.0.0' });
  const answer = await resolve(request, {
    source: withConcurrencyLimit(source, concurrency),
    crossplane: 'v2.3.4',
  });
  if (answer.status !== 'solved') throw new Error('the bench has an answer');
  return bytes;
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

interface Manifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string }[];
}

/** Pulls tags, manifest, config and every layer of known packages. */
async function pulled(server: Registry, names: readonly string[]): Promise<number> {
  const limit = pLimit(8);
  let bytes = 0;
  const get = async (path: string) => {
    const body = await (await fetch(`http://${server.host}/v2/${path}`)).arrayBuffer();
    bytes += body.byteLength;
    return Buffer.from(body).toString();
  };
  const pull = async (name: string) => {
    await get(`${name}/tags/list`);
    const manifest = JSON.parse(await get(`${name}/manifests/v1.0.0`)) as Manifest;
    for (const { digest } of [manifest.config, ...manifest.layers]) {
      await get(`${name}/blobs/${digest}`);
    }
  };
  await Promise.all(names.map((name) => limit(() => pull(name))));
  return bytes;
}
