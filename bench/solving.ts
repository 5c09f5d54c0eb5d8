import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Instance, Wants } from '../test/support/depsuite.js';
import { markdown } from './markdown.js';
import { askPeer, presentPeers, type Peer } from './peers.js';
import { sharedFolder } from './shared-folder.js';

const BUILD = new URL('../', import.meta.url).pathname;
const TIMEOUT = 20_000;
const RUST = ['pubgrub-rs', 'resolvo'] as const;
/** Packages of Debian; measured by wall time and not part of the ratio. */
const OTHERS = ['libsolv', 'cadical'];

interface Case {
  readonly name: string;
  /** A path in the folder of solver data. */
  readonly file: string;
  /** The root to use of a universe with many roots. */
  readonly root?: number;
  /** How the work of the peers differs from ours. */
  readonly apart: string;
}

/** The note on every row. */
const APART =
  'peers have ranges as numbers from the start; pubgrub-rs decides on what has fewest versions first; libsolv and cadical: one run by the clock, all metadata given at once; cadical: with its start as a process, any answer rather than the preferred one';
const OWNERSHIP = `ownership is given to peers as packages that exclude each other; ${APART}`;

const CASES: readonly Case[] = [
  {
    name: 'crossplane-like p20-c150',
    file: 'hard/crossplane-like/p20-c150-s6.json.gz',
    apart: OWNERSHIP,
  },
  {
    name: 'powerlaw n1000',
    file: 'hard/powerlaw/n1000-roots20-s2.json.gz',
    apart: APART,
  },
  {
    name: 'lockstep k300',
    file: 'hard/lockstep/k300-cap0-x3.json.gz',
    apart: APART,
  },
  { name: 'wide-late w50-k20', file: 'hard/wide-late/w50-k20-sat.json.gz', apart: APART },
  {
    name: 'pigeonhole 10/9',
    file: 'hard/pigeonhole/m10-n9.json.gz',
    apart: `cadical gives no proof here; ${OWNERSHIP}`,
  },
  {
    name: 'large_case, root 500',
    file: 'suites/pubgrub-rs/large_case_u16_NumberVersion@HEAD.multi.json.gz',
    root: 500,
    apart: APART,
  },
];

/** Measures the CPU time of a solve, first and later ones, for this and other solvers. */
export async function solving(): Promise<string> {
  const data = sharedFolder('data', 'solver');
  if (!existsSync(data)) return 'No instances beside the checkout.\n';
  const folder = mkdtempSync(join(tmpdir(), 'xpkg-bench-'));
  const rust = RUST.flatMap((name) => builtPeer(name) ?? []);
  const others = presentPeers(OTHERS);
  const rows = CASES.map((one) => rowOf(one, { rust, others: others.present }, folder));
  rmSync(folder, { recursive: true });
  const names = [...rust, ...others.present].map(({ name }) => `${name}, ms`);
  const unbuilt = RUST.filter((name) => !rust.some((peer) => peer.name === name));
  const missing = [...unbuilt, ...others.missing];
  const without = missing.length === 0 ? '' : `\nNot on this machine: ${missing.join(', ')}.\n`;
  const head = ['instance', 'answer', 'cold ms', 'early ms', 'warm ms', ...names];
  const ratios = ['cold', 'early', 'warm'].map((ours) => `${ours} ÷ better of the first two`);
  return `${markdown([[...head, ...ratios, 'not the same'], ...rows])}${without}`;
}

interface Beside {
  readonly rust: readonly RustPeer[];
  readonly others: readonly Peer[];
}

function rowOf({ name, file, root, apart }: Case, { rust, others }: Beside, folder: string) {
  const instance = instanceOf(join(sharedFolder('data', 'solver'), file), root);
  const path = join(folder, 'instance.json');
  writeFileSync(path, JSON.stringify({ format: 'depsuite/1', expected: {}, ...instance }));
  const { cold } = solved(path, ['command']);
  const { answer, early, warm } = solved(path);
  const theirs = rust.length === 0 ? [] : askRust(rust, path);
  const best = Math.min(...theirs.filter((ms) => typeof ms === 'number'));
  const ratio = (ms: number) => (best === Infinity ? '' : `${(ms / best).toFixed(1)} ×`);
  return [
    name,
    answer,
    cold.toFixed(0),
    early.toFixed(1),
    warm.toFixed(2),
    ...theirs.map((ms) => (typeof ms === 'number' ? ms.toFixed(2) : ms)),
    ...others.map((peer) => askPeer(peer, path)),
    ratio(cold),
    ratio(early),
    ratio(warm),
    apart,
  ];
}

/**
 * Returns our times: in the command, which is configured for short runs, or in a program that uses
 * the library.
 */
function solved(path: string, as: readonly string[] = []): Ours {
  const one = ['--expose-gc', join(BUILD, 'bench/solve-one.js'), path, ...as];
  const run = spawnSync(process.execPath, one, { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Ours;
}

interface Ours {
  readonly answer: string;
  readonly cold: number;
  readonly early: number;
  readonly warm: number;
}

type Held = Instance & { readonly roots?: readonly (readonly [name: string, version: string])[] };

function instanceOf(file: string, root: number | undefined): Instance {
  const { roots, ...held } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Held;
  if (root === undefined) return held;
  const [name, version] = roots![root]!;
  const at = held.order[name]!.indexOf(version);
  const wants: Wants = { [name]: [[at, at]] };
  return { ...held, root: wants };
}

/** Returns the instance in the numeric format of the peers. */
function numeric(file: string): string {
  const script = join(sharedFolder('tools', 'solver', 'peers'), 'to_num.py');
  const run = spawnSync('python3', [script, file], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout;
}

interface RustPeer {
  readonly name: string;
  readonly program: string;
}

/** Builds the program of a peer if cargo and its sources exist; else returns undefined. */
function builtPeer(name: (typeof RUST)[number]): RustPeer | undefined {
  const from = join(sharedFolder('tools', 'solver', 'peers'), name);
  if (!existsSync(from)) return undefined;
  const folder = join(BUILD, 'peers', name);
  const target = join(BUILD, 'peers', 'target');
  mkdirSync(folder, { recursive: true });
  // cargo writes to the folder of the sources.
  cpSync(from, folder, { recursive: true });
  const cargo = ['build', '--release', '--quiet', '--target-dir', target];
  const built = spawnSync('cargo', cargo, { cwd: folder, stdio: 'inherit' });
  const program = join(target, 'release', `${name.replace('-rs', '')}-peer`);
  return built.status === 0 ? { name, program } : undefined;
}

/** Returns the time of each peer for one instance. */
function askRust(peers: readonly RustPeer[], path: string): readonly (number | string)[] {
  const numbers = `${path}.num`;
  writeFileSync(numbers, numeric(path));
  return peers.map((peer) => milliseconds(peer, numbers));
}

/** Returns the CPU time that the peer measured for one solve, or why there is none. */
function milliseconds({ program }: RustPeer, file: string): number | string {
  const run = spawnSync(program, ['--runs', '5', file], { encoding: 'utf8', timeout: TIMEOUT });
  if (run.error !== undefined) return 'timeout';
  if (run.status !== 0) return 'failed';
  return (JSON.parse(run.stdout) as { cpu_us: number }).cpu_us / 1000;
}
