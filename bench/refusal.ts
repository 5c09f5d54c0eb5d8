import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Driver } from '../src/resolver/driver/driver.js';
import { explainRefusal } from '../src/resolver/explain/explain-refusal.js';
import type { IndexFile } from '../src/sources/index/index-file.js';
import { targetFor, type Target } from '../src/crossplane/releases/target.js';
import { memorySource } from '../src/sources/memory-source.js';
import { solve } from '../src/resolver/solver/solve.js';
import { toProblem } from '../src/resolver/resolve/to-problem.js';
import { requestFor } from '../test/support/requests.js';
import { markdown, quantile } from './markdown.js';
import { BARE, measuredRun, type Run as Measured } from './scale.js';

const VERSIONS = 30;
const SIZES = [100, 1_000, 10_000];
const RUNS = 3;

/** Measures the explanation that two packages own the same CRDs as a multiple of the search. */
export async function refusal(): Promise<string> {
  const rows: (string | number)[][] = [];
  for (const size of SIZES) {
    const universe = universeOf(size);
    const runs: Run[] = [];
    for (let i = 0; i < RUNS; i++) runs.push(await run(universe));
    const searching = quantile(
      runs.map((one) => one.searching),
      0.5,
    );
    const explaining = quantile(
      runs.map((one) => one.explaining),
      0.5,
    );
    rows.push([
      size,
      VERSIONS,
      searching.toFixed(0),
      explaining.toFixed(0),
      `${(explaining / searching).toFixed(2)} ×`,
    ]);
  }
  const head = ['shared CRDs', 'versions of each', 'search ms', 'explain ms', 'explain ÷ search'];
  return `${markdown([head, ...rows])}\n${wholeProcess()}`;
}

/**
 * Measures a whole `resolve` with a refusal, with the largest of these indexes, and an empty
 * process.
 */
function wholeProcess(): string {
  const folder = mkdtempSync(join(tmpdir(), 'xpkg-bench-'));
  const universe = universeOf(SIZES.at(-1)!);
  writeFileSync(join(folder, 'index.json'), JSON.stringify(universe));
  const roots = Object.keys(universe.packages).map((name) => `${name}@*`);
  const flags = ['--crossplane', 'v2.3.4', '--from', 'index:index.json', '--no-write'];
  const bare: Measured[] = [];
  const ours: Measured[] = [];
  for (let i = 0; i < RUNS; i++) {
    bare.push(measuredRun(['-e', BARE, 'index.json'], folder));
    ours.push(measuredRun([MAIN, 'resolve', ...roots, ...flags], folder, UNSOLVABLE));
  }
  rmSync(folder, { recursive: true });
  const figures = (['seconds', 'megabytes'] as const).flatMap((of) => {
    const [one, other] = [bare, ours].map((runs) =>
      quantile(
        runs.map((run) => run[of]),
        0.5,
      ),
    ) as [number, number];
    const digits = of === 'seconds' ? 2 : 0;
    return [one.toFixed(digits), other.toFixed(digits), `${(other / one).toFixed(2)} ×`];
  });
  const head = ['bare s', 'resolve s', 'time', 'bare MB', 'resolve MB', 'memory'];
  return markdown([
    ['whole process, shared CRDs', 'versions of each', ...head],
    [SIZES.at(-1)!, VERSIONS, ...figures],
  ]);
}

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;
/** The exit code of an unsolvable request. */
const UNSOLVABLE = 3;

/** CPU time in milliseconds. */
interface Run {
  readonly searching: number;
  readonly explaining: number;
}

async function run(universe: IndexFile): Promise<Run> {
  const targets = [targetFor('v2.3.4')!];
  const request = requestFor(
    Object.fromEntries(Object.keys(universe.packages).map((name) => [name, '*'])),
  );
  const problemFor = (some: readonly Target[]) => toProblem(request, some, {});
  const problem = problemFor(targets);
  const driver = new Driver(memorySource(universe), {});
  const started = process.cpuUsage();
  const proof = await driver.drive(solve(problem), targets[0]!);
  const searching = milliseconds(started);
  const found = process.cpuUsage();
  if (proof.status !== 'unsolvable') throw new Error(proof.status);
  const rest = { isReleaseNamed: false, locked: [], sideEffects: () => [] };
  await explainRefusal({ problem, targets, proof, driver, problemFor, ...rest });
  return { searching, explaining: milliseconds(found) };
}

/** Returns the CPU time since then, so that other work on the machine does not count. */
function milliseconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

/** Returns two providers that own the same CRDs in every version. */
function universeOf(size: number): IndexFile {
  const crds = Array.from({ length: size }, (_, i) => `things${i}.bench.example.org`);
  const versions = Object.fromEntries(
    Array.from({ length: VERSIONS }, (_, i) => [`v1.${i}.0`, { crds }]),
  );
  const names = ['xpkg.bench.example/acme/provider-one', 'xpkg.bench.example/acme/provider-two'];
  return {
    packages: Object.fromEntries(names.map((name) => [name, { kind: 'Provider', versions }])),
  };
}
