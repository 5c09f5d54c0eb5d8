import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { markdown, quantile } from './markdown.js';
import { sharedFolder } from './shared-folder.js';

const CRDS = 1_000;
/** One of this many CRDs is edited. */
const EDITED = 10;
const RUNS = 3;

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;
const READ = new URL('./read-packages.js', import.meta.url).pathname;
const PEAK = new URL('./peak.js', import.meta.url).pathname;

/** Measures `diff` of two packages as a multiple of a process that reads both. */
export async function compare(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'xpkg-bench-'));
  const write = (name: string, text: string) => {
    const file = join(folder, `${name}.package.yaml.gz`);
    writeFileSync(file, gzipSync(text, { level: 1 }));
    return file;
  };
  const made = madeUp();
  const rows = [
    row(`made up, one in ${EDITED} edited`, write('old', made), write('new', edited(made))),
  ];
  const [small, large] = ['provider-aws-v1.6.0-monolith', 'provider-aws'].map((name) =>
    sharedFolder('data', 'packages', `${name}.package.yaml.gz`),
  ) as [string, string];
  if (existsSync(small) && existsSync(large)) {
    const text = gunzipSync(readFileSync(large)).toString();
    rows.push(row(`real, one in ${EDITED} edited`, large, write('new', edited(text))));
    rows.push(row('real, releases far apart', small, large));
  }
  rmSync(folder, { recursive: true });
  return markdown([
    ['packages', 'CRDs', 'findings', 'read both s', 'diff s', 'diff ÷ read', 'as JSON', 'diff MB'],
    ...rows,
  ]);
}

function row(label: string, old: string, fresh: string): (string | number)[] {
  const reads: Run[] = [];
  const diffs: Run[] = [];
  for (let i = 0; i < RUNS; i++) {
    reads.push(run([READ, old, fresh]));
    diffs.push(run([MAIN, 'diff', old, fresh]));
  }
  const json = Array.from({ length: RUNS }, () => run([MAIN, 'diff', old, fresh, '-o', 'json']));
  const { findings } = JSON.parse(json[0]!.output) as { readonly findings: readonly unknown[] };
  const middle = (runs: readonly Run[], pick: (run: Run) => number) =>
    quantile(runs.map(pick), 0.5);
  const [read, diff, asJson] = [reads, diffs, json].map((runs) =>
    middle(runs, ({ seconds }) => seconds),
  );
  return [
    label,
    `${crdsIn(old)} and ${crdsIn(fresh)}`,
    findings.length,
    read!.toFixed(2),
    diff!.toFixed(2),
    `${(diff! / read!).toFixed(2)} ×`,
    `${(asJson! / read!).toFixed(2)} ×`,
    Math.round(middle(diffs, ({ megabytes }) => megabytes)),
  ];
}

function crdsIn(file: string): number {
  return (
    gunzipSync(readFileSync(file)).toString().split('\nkind: CustomResourceDefinition').length - 1
  );
}

interface Run {
  /** CPU time, so that other work on the machine does not count. */
  readonly seconds: number;
  readonly megabytes: number;
  readonly output: string;
}

function run(args: readonly string[]): Run {
  const child = spawnSync(process.execPath, ['--import', PEAK, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (child.status !== 0) throw new Error(child.stderr);
  const told = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(child.stderr)![1]);
  return { seconds: told('cpu') / 1e6, megabytes: told('peak') / 1024, output: child.stdout };
}

/** Changes some CRDs: each number field becomes a string and loses its description. */
function edited(text: string): string {
  return text
    .split('\n---\n')
    .map((document, i) =>
      i % EDITED === 0
        ? document.replaceAll(/^( +)description: [A-Z][^\n]*\n\1type: number$/gm, '$1type: string')
        : document,
    )
    .join('\n---\n');
}

/** Returns a provider with CRDs of realistic size. */
function madeUp(): string {
  const documents = Array.from({ length: CRDS }, (_, i) => madeUpCrd(`things${i}`));
  return [META, ...documents].join('\n---\n');
}

const META = `apiVersion: meta.pkg.crossplane.io/v1
kind: Provider
metadata:
  name: provider-bench
spec:
  controller: {}`;

/** Returns a field of the second level with its own fields. */
function madeUpPart(name: string): string {
  const indent = ' '.repeat(14);
  const own = [`${name}:`, '  type: object', '  properties:'];
  return `${own.map((line) => `${indent}${line}\n`).join('')}${madeUpFields(`${indent}    `)}`;
}

function madeUpFields(indent: string): string {
  const fields = Array.from({ length: 60 }, (_, i) => [
    `field${String(i).padStart(2, '0')}:`,
    `  description: Says how much of part ${i} there is, and in which of the places that it has.`,
    `  type: ${i % 4 === 0 ? 'number' : 'string'}`,
  ]);
  return fields.flatMap((lines) => lines.map((line) => `${indent}${line}\n`)).join('');
}

function madeUpCrd(plural: string): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${plural}.bench.example.org
spec:
  group: bench.example.org
  names:
    kind: ${plural[0]!.toUpperCase()}${plural.slice(1)}
    plural: ${plural}
  scope: Cluster
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
${madeUpPart('forProvider')}${madeUpPart('initProvider')}          status:
            type: object
            properties:
${madeUpPart('atProvider')}`.trimEnd();
}
