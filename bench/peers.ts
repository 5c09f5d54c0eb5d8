import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from './shared-folder.js';

/** Another solver that runs as a separate process on the same instance. */
export interface Peer {
  readonly name: string;
  /** Arguments to Python before the instance; the first is a script in the folder of peers. */
  readonly command: readonly string[];
  /** A command that succeeds if the peer is installed. */
  readonly probe: readonly string[];
}

const PYTHON = '/usr/bin/python3';
const TIMEOUT = 10_000;

const PEERS: readonly Peer[] = [
  {
    name: 'resolvelib',
    command: ['resolvelib_peer.py'],
    probe: [
      PYTHON,
      '-c',
      "import os,sys; sys.path.insert(0, os.environ.get('RESOLVELIB_SRC') or '.'); import resolvelib",
    ],
  },
  { name: 'libsolv', command: ['libsolv_peer.py'], probe: [PYTHON, '-c', 'import solv'] },
  { name: 'z3', command: ['z3_peer.py'], probe: [PYTHON, '-c', 'import z3'] },
  { name: 'cadical', command: ['sat_peer.py', 'cadical'], probe: ['cadical', '--version'] },
  { name: 'minisat', command: ['sat_peer.py', 'minisat'], probe: ['which', 'minisat'] },
  {
    name: 'molinillo',
    command: ['ruby_peer.py', 'molinillo'],
    probe: ['ruby', '-rmolinillo', '-e', ''],
  },
];

/** Returns the installed peers, of the given names or of all. */
export function presentPeers(names = PEERS.map(({ name }) => name)): {
  present: readonly Peer[];
  missing: readonly string[];
} {
  const tools = existsSync(sharedFolder('tools', 'solver', 'peers'));
  const isPresent = ({ probe: [command, ...rest] }: Peer) =>
    tools && spawnSync(command!, rest).status === 0;
  const wanted = PEERS.filter(({ name }) => names.includes(name));
  const present = wanted.filter(isPresent);
  return {
    present,
    missing: wanted.filter((peer) => !present.includes(peer)).map(({ name }) => name),
  };
}

/** Returns the milliseconds that the peer measured, or why there are none. */
export function askPeer({ command }: Peer, file: string): string {
  const [script, ...rest] = command;
  const path = join(sharedFolder('tools', 'solver', 'peers'), script!);
  const run = spawnSync(PYTHON, [path, ...rest, file], { encoding: 'utf8', timeout: TIMEOUT * 2 });
  const last = run.stdout.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) return run.error === undefined ? 'failed' : 'timeout';
  const { ms } = JSON.parse(last) as { ms: number | null };
  return ms === null || ms > TIMEOUT ? 'timeout' : ms.toFixed(1);
}
