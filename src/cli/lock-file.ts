import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Lockfile } from '../lock/lockfile.js';
import { parseLockfile } from '../lock/parse-lockfile.js';
import { InputError } from '../model/input-error.js';
import type { Io } from './io.js';

/** A lockfile as it stands on disk. */
export interface LockOnDisk {
  readonly text: string;
  readonly lockfile: Lockfile;
}

/** Reads a lockfile; undefined: there is none. `shown` is how the user names it. */
export async function readLock(path: string, shown: string): Promise<LockOnDisk | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code === 'ENOENT') return undefined;
    throw new InputError(`cannot read \`${shown}\`: ${error.message}`, { cause: error });
  }
  return { text, lockfile: parseLockfile(text, shown) };
}

/** The same where there must be one; undefined: there is none, and that has been said. */
export async function requireLock(
  args: { readonly lock: string },
  io: Io,
): Promise<LockOnDisk | undefined> {
  const lock = await readLock(resolve(io.cwd, args.lock), args.lock);
  if (lock === undefined) {
    io.note(`error: there is no lockfile \`${args.lock}\``);
    io.note('hint: `xpkg-resolve resolve` writes one; `--lock` says where it is');
  }
  return lock;
}
