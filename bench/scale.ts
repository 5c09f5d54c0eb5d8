import { spawnSync } from 'node:child_process';
import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markdown, quantile } from './markdown.js';
import { random } from './random.js';
import { sharedFolder } from './shared-folder.js';

const PACKAGES = 10_000;
const VERSIONS = 100;
const CLOSURE = 500;
const RUNS = 5;

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;
const PEAK = new URL('./peak.js', import.meta.url).pathname;
/** The minimum work for an index: read it, decompress it if needed, and parse it. */
export const BARE = `
const fs = require('node:fs');
const bytes = fs.readFileSync(process.argv[1]);
const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
const text = (packed ? require('node:zlib').gunzipSync(bytes) : bytes).toString();
console.log(Object.keys(JSON.parse(text).packages).length);
`;

/**
 * Measures a whole resolution from an index file as a multiple of a process that only parses the
 * file.
 */
export async function scale(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'xpkg-bench-'));
  const synthetic = join(folder, 'index.json');
  await writeUniverse(synthetic);
  const rows = [row(`synthetic, ${PACKAGES} × ${VERSIONS}`, synthetic, [[name(0), '*']], folder)];
  const real = sharedFolder('data', 'corpus', 'universe.index.json.gz');
  if (existsSync(real)) {
    rows.push(row('real, 900 packages', real, [REAL], folder));
  }
  rmSync(folder, { recursive: true });
  const head = [
    'index',
    'MB',
    'closure',
    'bare s',
    'resolve s',
    'time',
    'bare MB',
    'resolve MB',
    'memory',
  ];
  return markdown([head, ...rows]);
}

const REAL = ['xpkg.upbound.io/upbound/platform-ref-aws', 'v2.0.0'] as const;

function row(
  label: string,
  file: string,
  roots: readonly (readonly [string, string])[],
  folder: string,
): (string | number)[] {
  const packages = roots.map(([configuration, version]) => ({ configuration, version }));
  const set = {
    apiVersion: 'xpkg-resolve.dev/v1alpha1',
    kind: 'PackageSet',
    metadata: { name: 'bench' },
    spec: { crossplane: 'v2.3.4', packages },
  };
  writeFileSync(join(folder, 'xpkg.yaml'), JSON.stringify(set));
  const flags = ['--offline', '--no-write', '-o', 'json'];
  const resolve = [MAIN, 'resolve', '-f', 'xpkg.yaml', '--from', `index:${file}`, ...flags];
  const bare: Run[] = [];
  const ours: Run[] = [];
  for (let i = 0; i < RUNS; i++) {
    bare.push(measuredRun(['-e', BARE, file], folder));
    ours.push(measuredRun(resolve, folder));
  }
  const answer = JSON.parse(ours[0]!.output) as { packages: unknown[] };
  const middle = (runs: readonly Run[], pick: (run: Run) => number) =>
    quantile(runs.map(pick), 0.5);
  const seconds = [bare, ours].map((runs) => middle(runs, (one) => one.seconds)) as [
    number,
    number,
  ];
  const memory = [bare, ours].map((runs) => middle(runs, (one) => one.megabytes)) as [
    number,
    number,
  ];
  return [
    label,
    Math.round(statSync(file).size / 1e6),
    answer.packages.length,
    ...seconds.map((s) => s.toFixed(2)),
    `${(seconds[1] / seconds[0]).toFixed(2)} ×`,
    ...memory.map((mb) => Math.round(mb)),
    `${(memory[1] / memory[0]).toFixed(2)} ×`,
  ];
}

export interface Run {
  /** CPU time of all threads. */
  readonly seconds: number;
  readonly megabytes: number;
  readonly output: string;
}

/** Runs a process, which must end with this exit code. */
export function measuredRun(args: readonly string[], cwd: string, status = 0): Run {
  const child = spawnSync(process.execPath, ['--import', PEAK, ...args], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (child.status !== status) throw new Error(child.stderr);
  const [, peak, processor] = /^peak (\d+)\ncpu (\d+)$/m.exec(child.stderr)!;
  const seconds = Number(processor) / 1e6;
  return { seconds, megabytes: Number(peak) / 1024, output: child.stdout };
}

function name(i: number): string {
  return `xpkg.bench.example/acme/package-${String(i).padStart(5, '0')}`;
}

/**
 * Writes an index in which package i requires some later ones; the first reaches exactly the given
 * number.
 */
async function writeUniverse(file: string): Promise<void> {
  const out = createWriteStream(file);
  out.write('{"packages":{');
  for (let i = 0; i < PACKAGES; i++) {
    const entry = { kind: 'Configuration', versions: versionsOf(i) };
    const more = out.write(
      `${i === 0 ? '' : ','}${JSON.stringify(name(i))}:${JSON.stringify(entry)}`,
    );
    if (!more) await once(out, 'drain');
  }
  out.end('}}');
  await once(out, 'finish');
}

function versionsOf(i: number): Record<string, object> {
  const next = random(i);
  const from = i - (i % CLOSURE);
  // Requires the next one, so that all of a group are reached, and a later one of the group.
  const farther = i + 1 + Math.floor(next() * (from + CLOSURE - i - 1));
  const required = [i + 1, farther].filter(
    (k, at, all) => k < from + CLOSURE && all.indexOf(k) === at,
  );
  const versions: Record<string, object> = {};
  for (let v = 0; v < VERSIONS; v++) {
    const low = Math.floor(v * next());
    versions[`v1.${v}.0`] = {
      crossplane: '>=v1.14.0',
      dependsOn: required.map((k) => ({ configuration: name(k), version: `>=v1.${low}.0` })),
    };
  }
  return versions;
}
