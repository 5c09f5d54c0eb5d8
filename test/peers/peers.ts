import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, 'build.sh');
const found = spawnSync('bash', [SCRIPT, 'bin'], { encoding: 'utf8' });
if (found.status !== 0) throw new Error(`${SCRIPT}: ${found.stderr}`);

/** The folder of the programs that `test/peers/build.sh` builds. */
export const PEERS = found.stdout.trim();

interface PeerRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program that `test/peers/build.sh` builds; throws if it is missing. */
export function peer(name: string, args: readonly string[]): PeerRun {
  const ran = spawnSync(join(PEERS, name), args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (ran.error === undefined) return ran;
  throw new Error(`\`${name}\` cannot be run: was it built? (test/peers/build.sh)`, {
    cause: ran.error,
  });
}
