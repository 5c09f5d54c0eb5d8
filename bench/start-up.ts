import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { executableOf } from '../integrations/executable/build.js';
import { nodeFolder } from '../integrations/executable/node-program.js';
import { PLATFORMS } from '../integrations/executable/platforms.js';
import { markdown, quantile } from './markdown.js';

const ROOT = new URL('../..', import.meta.url).pathname;
const MAIN = join(ROOT, 'dist/main.js');
const DEMO = ['-f', join(ROOT, 'fixtures/demo'), '--from', `dir:${ROOT}fixtures/packages`];
const ROUNDS = 7;
/** Runs in each round; a shell may measure time in hundredths of a second. */
const RUNS = 5;

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  '`--version`': ['--version'],
  '`--help`': ['--help'],
  '`resolve --help`': ['resolve', '--help'],
  '`resolve` of fixtures/demo': ['resolve', ...DEMO, '--no-write'],
};

/** Measures whole processes as multiples of an empty one, in CPU time of all threads. */
export async function startUp(): Promise<string> {
  const tables = [besideNode('process', [process.execPath])];
  // Node.js reads these certificates at every start, which makes the divisor larger.
  if (process.env['NODE_EXTRA_CA_CERTS'] !== undefined) {
    const without = ['env', '-u', 'NODE_EXTRA_CA_CERTS', process.execPath];
    tables.push(besideNode('process, without `NODE_EXTRA_CA_CERTS`', without));
  }
  return [...tables, executable()].join('\n');
}

function besideNode(head: string, node: readonly string[]): string {
  const commands = Object.values(COMMANDS).map((args) => [...node, MAIN, ...args]);
  const medians = mediansOf([[...node, '-e', '0'], ...commands]);
  const rows = ['`node -e 0`', ...Object.keys(COMMANDS)].map((name, i) => [
    name,
    medians[i]!.toFixed(0),
    `${(medians[i]! / medians[0]!).toFixed(2)} ×`,
  ]);
  return markdown([[head, 'ms', '÷ `node -e 0`'], ...rows]);
}

/** Measures the executable and the npm package, both with the Node.js in the executable. */
function executable(): string {
  const here = `${process.platform}-${process.arch}`;
  const { file } = executableOf(here);
  const platform = PLATFORMS[here];
  if (platform === undefined || !existsSync(file)) {
    return `No executable: \`npm run executable -- ${here}\` makes it.\n`;
  }
  const node = join(nodeFolder(platform.node), 'bin', 'node');
  const commands = Object.values(COMMANDS);
  const medians = mediansOf(
    commands.flatMap((args) => [
      [node, MAIN, ...args],
      [file, ...args],
    ]),
  );
  const rows = Object.keys(COMMANDS).map((name, i) => {
    const [npm, alone] = [medians[2 * i]!, medians[2 * i + 1]!];
    return [name, npm.toFixed(0), alone.toFixed(0), `${(alone / npm).toFixed(2)} ×`];
  });
  const head = [
    `Node ${platform.node.version}`,
    'npm package, ms',
    'executable, ms',
    'executable ÷ npm',
  ];
  return markdown([head, ...rows]);
}

/** Returns the medians of rounds in which each process runs. */
function mediansOf(processes: readonly (readonly string[])[]): number[] {
  const rounds = Array.from({ length: ROUNDS }, () => processes.map(milliseconds));
  return processes.map((_, i) =>
    quantile(
      rounds.map((round) => round[i]!),
      0.5,
    ),
  );
}

/** Returns the CPU time of one run, as a shell measures its children. */
function milliseconds(words: readonly string[]): number {
  const loop = `i=0; while [ $i -lt ${RUNS} ]; do "$@" >/dev/null 2>&1 || exit 1; i=$((i+1)); done; times`;
  const told = execFileSync('sh', ['-c', loop, 'sh', ...words], {
    encoding: 'utf8',
  });
  const [, children] = told.trim().split('\n');
  const parts = Array.from(children!.matchAll(/(\d+)m([\d.]+)s/g), ([, minutes, seconds]) => {
    return Number(minutes) * 60_000 + Number(seconds) * 1000;
  });
  return parts.reduce((sum, part) => sum + part, 0) / RUNS;
}
