import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The build results of test/rig/build.sh. */
export const BUILT =
  process.env['XPKG_RIG'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'xpkg-rig');

/** Time limit for each process to start, and for the last one to end. */
const SECONDS_TO_START = 300;
const POLL_MS = 250;

/** The processes of one cluster, each with a log in a folder. */
export class RigProcesses {
  readonly #folder: string;
  readonly #children = new Map<string, ChildProcess>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  start(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
    const log = openSync(join(this.#folder, `${program}.log`), 'a');
    // If the run is killed, its processes end with it.
    const whole = ['--pdeathsig', 'KILL', '--', binary(program), ...args];
    const child = spawn('setpriv', whole, {
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#children.set(program, child);
  }

  /** Kills a program without an orderly shutdown, because no data is needed. */
  async end(program: string): Promise<void> {
    const child = this.#children.get(program);
    this.#children.delete(program);
    if (child === undefined) return;
    const ended = new Promise((done) => child.once('exit', done));
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
  }

  async endAll(): Promise<void> {
    for (const program of [...this.#children.keys()].toReversed()) await this.end(program);
  }
}

export function binary(name: string): string {
  const path = join(BUILT, 'bin', name);
  if (!existsSync(path)) throw new Error(`there is no ${path}: run test/rig/build.sh`);
  return path;
}

/** Returns the output of a program; throws with the output if it fails. */
export async function mustRun(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { env, maxBuffer: 1 << 26 })).stdout;
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as Failure; // all that execFile fails with
    if (code === 'ENOENT') throw new Error(`the rig needs \`${program}\``, { cause: error });
    throw new Error(`${program} ${args.join(' ')}: ${stderr}${stdout}`, { cause: error });
  }
}

interface Failure {
  readonly code?: number | string;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** Repeats an attempt until it succeeds; throws the last error on timeout. */
export async function until(what: string, attempt: () => Promise<void>): Promise<void> {
  const end = Date.now() + SECONDS_TO_START * 1000;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (Date.now() > end) throw new Error(`${what} does not come up`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return (server.address() as AddressInfo).port; // what a listening TCP server has
    }),
  );
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  return ports;
}
