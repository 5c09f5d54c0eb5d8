import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IndexFile, IndexPackage, IndexVersion } from '../src/sources/index/index-file.js';
import { manifestMediaType } from '../src/oci/image/manifest.js';
import { formatIndex } from '../src/sources/index/make-index.js';
import { buildParts, sparseIndexArtifact } from '../src/sources/sparse-index/index-parts.js';
import { sha256 } from '../src/base/digest.js';
import { Registry } from '../test/support/registry/registry.js';
import { AnsweredInRounds } from './answered-in-rounds.js';
import { markdown, quantile } from './markdown.js';

const SIZES = [1_000, 10_000, 100_000];
const CLOSURE = 30;
/**
 * Means of the real packages of `../shared/data/corpus`: versions of a package, CRDs of a version.
 */
const VERSIONS = 46;
const CRDS = 8;
const RUNS = 5;

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;
const PEAK = new URL('./peak.js', import.meta.url).pathname;

interface Run {
  readonly processorMs: number;
  readonly megabytes: number;
  readonly kilobytes: number;
}

/**
 * Measures a closure of 30 packages out of more and more: from a sparse index at a registry, and
 * from one file.
 */
export async function sparse(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'xpkg-bench-'));
  const rows: (readonly (string | number)[])[] = [];
  let first: Run | undefined;
  for (const size of SIZES) {
    const index = universe(size);
    const file = join(folder, 'index.json');
    writeFileSync(file, formatIndex(index));
    const server = await serving(index);
    try {
      server.log.length = 0;
      const parts: Run[] = [];
      const whole: Run[] = [];
      for (let i = 0; i < RUNS; i++) {
        parts.push(await resolved(`oci://${server.host}/team/index:v1`, folder));
        whole.push(await resolved(file, folder));
      }
      const requests = server.log.length / RUNS;
      const rounds = await roundsOf(server, folder);
      const [one, other] = [median(parts), median(whole)];
      first ??= one;
      rows.push([
        size,
        requests,
        rounds,
        Math.round(one.kilobytes),
        times(one.kilobytes, first.kilobytes),
        Math.round(one.processorMs),
        times(one.processorMs, first.processorMs),
        Math.round(one.megabytes),
        times(one.megabytes, first.megabytes),
        Math.round(other.processorMs),
        times(one.processorMs, other.processorMs),
        Math.round(other.megabytes),
        times(one.megabytes, other.megabytes),
      ]);
    } finally {
      await server.stop();
    }
  }
  rmSync(folder, { recursive: true });
  const head = [
    'packages',
    'requests',
    'rounds',
    'kB',
    '÷ first',
    'processor ms',
    '÷ first',
    'MB',
    '÷ first',
    'one file: processor ms',
    'parts ÷ one file',
    'one file: MB',
    'parts ÷ one file',
  ];
  return markdown([head, ...rows]);
}

/** Returns the number of sequential requests, which determine the time with a remote registry. */
async function roundsOf(server: Registry, folder: string): Promise<number> {
  const rounds = new AnsweredInRounds();
  server.fail(rounds.fault);
  await resolved(`oci://${server.host}/team/index:v1`, folder);
  return rounds.sizes.length;
}

function times(one: number, other: number): string {
  return `${(one / other).toFixed(2)} ×`;
}

function median(runs: readonly Run[]): Run {
  const of = (pick: (run: Run) => number) => quantile(runs.map(pick), 0.5);
  return {
    processorMs: of(({ processorMs }) => processorMs),
    megabytes: of(({ megabytes }) => megabytes),
    kilobytes: of(({ kilobytes }) => kilobytes),
  };
}

async function resolved(from: string, cwd: string): Promise<Run> {
  const asked = ['resolve', `${nameOf(0)}@>=v1.0.0`, '--from', `index:${from}`];
  const flags = ['--crossplane', 'v2.3.4', '--no-write', '-o', 'json'];
  // Without a cache folder, everything is requested.
  const env = { PATH: process.env['PATH'] };
  const child = spawn(process.execPath, ['--import', PEAK, MAIN, ...asked, ...flags], { cwd, env });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(stderr);
  const answer = JSON.parse(stdout) as { packages: unknown[]; stats: { bytes: number } };
  if (answer.packages.length !== CLOSURE) throw new Error(`a closure of ${answer.packages.length}`);
  const figure = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stderr)![1]);
  return {
    processorMs: figure('cpu') / 1000,
    megabytes: figure('peak') / 1024,
    kilobytes: answer.stats.bytes / 1000,
  };
}

async function serving(index: IndexFile): Promise<Registry> {
  const { manifest, manifests = [], blobs } = sparseIndexArtifact(await buildParts(index));
  const held = (stored: typeof manifest) => ({ ...stored, mediaType: manifestMediaType(stored) });
  return new Registry()
    .push('team/index', 'v1', {
      ...held(manifest),
      manifests: manifests.map(held),
      blobs: [...blobs].map(([digest, bytes]) => ({ digest, bytes })),
    })
    .start();
}

function nameOf(i: number): string {
  return `xpkg.bench.example/acme-${i % 97}/provider-something-${i}`;
}

/**
 * The first 30 packages have realistic sizes and require three each: four levels, as in real sets.
 * All others have one version that owns one CRD and is never read.
 */
function universe(size: number): IndexFile {
  const packages = Array.from({ length: size }, (_, i): [string, IndexPackage] => [
    nameOf(i),
    { kind: 'Provider', versions: i < CLOSURE ? versionsOf(i) : { 'v1.0.0': versionOf(i, 0, 1) } },
  ]);
  return { packages: Object.fromEntries(packages) };
}

function versionsOf(i: number): Record<string, IndexVersion> {
  const versions = Array.from({ length: VERSIONS }, (_, v) => [`v1.${v}.0`, versionOf(i, v, CRDS)]);
  return Object.fromEntries(versions) as Record<string, IndexVersion>;
}

function versionOf(i: number, v: number, count: number): IndexVersion {
  const group = `g${i}.bench.example`;
  const crds = Array.from({ length: count }, (_, n) => `resources${n}.${group}`);
  const required = [3 * i + 1, 3 * i + 2, 3 * i + 3].filter((k) => k < CLOSURE && i < CLOSURE);
  return {
    crossplane: '>=v1.14.0',
    dependsOn: required.map((k) => ({ provider: nameOf(k), version: '>=v1.0.0' })),
    crds,
    defines: Object.fromEntries(
      crds.map((crd, n) => [crd, { group, kind: `Resource${n}`, versions: ['v1beta1'] }]),
    ),
    digest: sha256(`image ${i} ${v}`),
    manifest: sha256(`manifest ${i} ${v}`),
    baseLayer: sha256(`layer ${i} ${v}`),
    packageYaml: sha256(`yaml ${i} ${v}`),
  };
}
