import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { markdown, quantile } from './markdown.js';

const ROOT = new URL('../..', import.meta.url).pathname;
const MAIN = join(ROOT, 'dist/cli/main.js');
const DEMO = ['-f', join(ROOT, 'fixtures/demo'), '--from', `dir:${ROOT}fixtures/packages`];
const ROUNDS = 7;
/** Of each round; a shell may count time in hundredths of a second. */
const RUNS = 5;

const PROCESSES: Readonly<Record<string, readonly string[]>> = {
  '`node -e 0`': ['-e', '0'],
  '`--version`': [MAIN, '--version'],
  '`--help`': [MAIN, '--help'],
  '`resolve --help`': [MAIN, 'resolve', '--help'],
  '`resolve` of fixtures/demo': [MAIN, 'resolve', ...DEMO, '--no-write'],
};

/** What whole processes take, as multiples of one that does nothing. Processor time, all threads. */
export async function startUp(): Promise<string> {
  const rounds = Array.from({ length: ROUNDS }, () => Object.values(PROCESSES).map(milliseconds));
  const medians = Object.keys(PROCESSES).map((_, i) =>
    quantile(
      rounds.map((round) => round[i]!),
      0.5,
    ),
  );
  const rows = Object.keys(PROCESSES).map((name, i) => [
    name,
    medians[i]!.toFixed(0),
    `${(medians[i]! / medians[0]!).toFixed(2)} ×`,
  ]);
  return markdown([['process', 'ms', '÷ `node -e 0`'], ...rows]);
}

/** Processor time of one run, as a shell counts that of its children. */
function milliseconds(args: readonly string[]): number {
  const loop = `i=0; while [ $i -lt ${RUNS} ]; do "$@" >/dev/null 2>&1 || exit 1; i=$((i+1)); done; times`;
  const told = execFileSync('sh', ['-c', loop, 'sh', process.execPath, ...args], {
    encoding: 'utf8',
  });
  const [, children] = told.trim().split('\n');
  const parts = Array.from(children!.matchAll(/(\d+)m([\d.]+)s/g), ([, minutes, seconds]) => {
    return Number(minutes) * 60_000 + Number(seconds) * 1000;
  });
  return parts.reduce((sum, part) => sum + part, 0) / RUNS;
}
