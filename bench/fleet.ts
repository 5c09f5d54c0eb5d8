import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markdown, quantile } from './markdown.js';
import { random } from './random.js';
import { sharedFolder } from './shared-folder.js';

const SETS = 200;
const CLOSURE = 30;
const PACKAGES = 1_000;
const VERSIONS = 20;
const CRDS = 10;
const RUNS = 3;
/** CPU time for each further project. */
const GOAL_MS = 20;

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;
const CPU = new URL('./cpu.js', import.meta.url).pathname;

/** Measures `resolve --each` with one index: the CPU time of each project after the first. */
export async function fleet(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'xpkg-bench-'));
  const synthetic = join(folder, 'index.json');
  writeFileSync(synthetic, JSON.stringify({ packages: universe() }));
  const rows = [
    row('synthetic, sets that differ', synthetic, folder, (set) => roots(set)),
    row('synthetic, one set many times', synthetic, folder, () => roots(0)),
  ];
  const real = sharedFolder('data', 'corpus', 'universe.index.json.gz');
  if (existsSync(real)) rows.push(row('real universe', real, folder, realRoots));
  rmSync(folder, { recursive: true });
  return markdown([
    [
      'index',
      'sets',
      'packages a set',
      'one set, ms',
      'all sets, ms',
      'a further set, ms',
      'goal, ms',
      'all sets ÷ as many runs',
    ],
    ...rows,
  ]);
}

type Roots = readonly { readonly package: string; readonly version: string }[];

function row(
  label: string,
  index: string,
  folder: string,
  rootsOf: (set: number) => Roots,
): (string | number)[] {
  for (let set = 0; set < SETS; set++) {
    const place = join(folder, 'clusters', String(set).padStart(3, '0'));
    mkdirSync(place, { recursive: true });
    const spec = { crossplane: 'v2.3.4', packages: rootsOf(set) };
    const text = { apiVersion: 'xpkg-resolve.dev/v1alpha1', kind: 'PackageSet', spec };
    writeFileSync(join(place, 'xpkg.yaml'), JSON.stringify(text));
  }
  const from = ['--from', `index:${index}`, '--offline', '--no-write', '-o', 'json'];
  const one: number[] = [];
  const all: number[] = [];
  let packages: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    one.push(run(['--each', 'clusters/000/xpkg.yaml', ...from], folder).cpuMs);
    const many = run(['--each', 'clusters/*/xpkg.yaml', ...from], folder);
    all.push(many.cpuMs);
    packages = many.packages;
  }
  if (packages.length !== SETS) throw new Error(`${packages.length} lines for ${SETS} sets`);
  const [first, whole] = [quantile(one, 0.5), quantile(all, 0.5)];
  return [
    label,
    SETS,
    Math.round(packages.reduce((sum, count) => sum + count, 0) / SETS),
    Math.round(first),
    Math.round(whole),
    ((whole - first) / (SETS - 1)).toFixed(1),
    GOAL_MS,
    `${(whole / (first * SETS)).toFixed(3)} ×`,
  ];
}

function run(args: readonly string[], cwd: string): { cpuMs: number; packages: number[] } {
  const child = spawnSync(process.execPath, ['--import', CPU, MAIN, 'resolve', ...args], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (child.status !== 0) throw new Error(child.stderr);
  const lines = child.stdout.trimEnd().split('\n');
  return {
    cpuMs: Number(/^cpu (\d+)$/m.exec(child.stderr)![1]) / 1000,
    packages: lines.map((line) => (JSON.parse(line) as { packages: unknown[] }).packages.length),
  };
}

function name(i: number): string {
  return `xpkg.bench.example/acme/package-${String(i).padStart(4, '0')}`;
}

/** Groups of packages, each of which requires the next one of its group and another one. */
function universe(): Record<string, object> {
  const packages: Record<string, object> = {};
  for (let i = 0; i < PACKAGES; i++) {
    const next = random(i);
    const end = Math.min(PACKAGES, i - (i % CLOSURE) + CLOSURE);
    const farther = i + 1 + Math.floor(next() * (end - i - 1));
    const required = [i + 1, farther].filter((k, at, own) => k < end && own.indexOf(k) === at);
    const versions: Record<string, object> = {};
    for (let v = 0; v < VERSIONS; v++) {
      const low = Math.floor(v * next());
      versions[`v1.${v}.0`] = {
        crossplane: '>=v1.14.0',
        digest: `sha256:${(i * VERSIONS + v).toString(16).padStart(64, '0')}`,
        dependsOn: required.map((k) => ({ provider: name(k), version: `>=v1.${low}.0` })),
        crds: Array.from({ length: CRDS }, (_, n) => `kind${n}s.p${i}.acme.example.org`),
      };
    }
    packages[name(i)] = { kind: 'Provider', versions };
  }
  return packages;
}

/** The first package of a group at one of its newer versions. */
function roots(set: number): Roots {
  const stretch = set % Math.floor(PACKAGES / CLOSURE);
  return [{ package: name(stretch * CLOSURE), version: `<=v1.${VERSIONS - 1 - (set % 5)}.0` }];
}

/** Platforms as they are published. */
function realRoots(set: number): Roots {
  const published = ['v2.0.0', 'v1.5.0', 'v1.4.0', '>=v1.0.0'];
  return [
    {
      package: 'xpkg.upbound.io/upbound/platform-ref-aws',
      version: published[set % published.length]!,
    },
  ];
}
