import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { EXIT } from '../../../src/cli/kit/command.js';
import type { Attack } from './attacks.js';

const MAIN = join(import.meta.dirname, '../../../dist/main.js');

/** A preloaded script that reports the peak memory of the process on file descriptor 3. */
const TELL_PEAK = `
  import fs from 'node:fs';
  const peak = () => {
    try {
      return 1024 * Number(/^VmHWM:\\s+(\\d+)/m.exec(fs.readFileSync('/proc/self/status', 'latin1'))[1]);
    } catch {
      return 1024 * process.resourceUsage().maxRSS;
    }
  };
  process.on('exit', () => fs.writeSync(3, String(peak())));
`;

/** All exit codes except that of a bug. */
export const OUR_EXIT_CODES: readonly number[] = Object.values(EXIT).filter(
  (code) => code !== EXIT.bug,
);

export interface AttackOutcome {
  /** null: a signal ended the process. */
  readonly exitCode: number | null;
  /** Peak resident memory; undefined: the process ended before it reported it. */
  readonly peakBytes: number | undefined;
  readonly seconds: number;
  readonly stderr: string;
}

/** Runs the command with an attack at a scale; 1 is the size of the limits. */
export async function runAttack(attack: Attack, scale = 1): Promise<AttackOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'attack-'));
  const prepared = await attack.prepare(folder, scale);
  try {
    return await runMeasured(prepared.argv, folder, prepared.stdin);
  } finally {
    await prepared.stop?.();
    await rm(folder, { recursive: true });
  }
}

/** Runs the command and returns its peak memory. */
export async function runMeasured(
  argv: readonly string[],
  cwd: string,
  stdin?: string,
): Promise<AttackOutcome> {
  const flag = `--import=data:text/javascript,${encodeURIComponent(TELL_PEAK)}`;
  const began = performance.now();
  const input = stdin === undefined ? undefined : await open(stdin);
  const child = spawn(process.execPath, [flag, MAIN, ...argv], {
    cwd,
    stdio: [input?.fd ?? 'ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_CACHE_HOME: join(cwd, 'xdg') },
  });
  await input?.close();
  const [peak, stderr, [exitCode]] = await Promise.all([
    text(child.stdio[3] as Readable),
    text(child.stderr!),
    once(child, 'exit'),
  ]);
  return {
    exitCode: exitCode as number | null,
    peakBytes: peak === '' ? undefined : Number(peak),
    seconds: (performance.now() - began) / 1000,
    stderr,
  };
}
