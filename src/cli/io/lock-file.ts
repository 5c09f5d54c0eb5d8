import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { settleBeforeReading } from '../../files/journal/settle.js';
import type { TransactionPlace } from '../../files/transaction.js';
import type { Lockfile } from '../../lock/lockfile.js';
import { parseLockfile } from '../../lock/parse-lockfile.js';
import { InputError } from '../../model/input-error.js';
import type { KeptObject } from '../../model/request.js';
import type { ExitCode } from '../exit-code.js';
import { reportMismatches } from '../output/lock/mismatches.js';
import { DEFAULT_LOCK } from '../flags/lock-flag.js';
import type { Io } from './io.js';
import { isOciPath } from './registry/oci-path.js';
import type { RegistryArgs } from './registry/registries.js';

/** Far more than the largest set needs: one with 24,000 CRDs takes 2 MiB. */
export const MAX_LOCKFILE_BYTES = 256 * 1024 * 1024;

/** A lockfile that was read, from disk or from a registry. */
export interface LockOnDisk {
  readonly text: string;
  readonly lockfile: Lockfile;
}

/** Path of a lockfile, with the flags to reach it at a registry. */
export type LockPlace = { readonly lock: string } & RegistryArgs;

/** Reads the lockfile that the user names, `oci://…` included; undefined: there is no such file. */
export async function readLock(place: LockPlace, io: Io): Promise<LockOnDisk | undefined> {
  const named = place.lock;
  const text = await (isRemoteLock(place) ? pulled(place, io) : onDisk(named, io));
  return text === undefined ? undefined : { text, lockfile: parseLockfile(text, named) };
}

/** Reads a lockfile that is a file; undefined: there is none. */
export async function readLockFile(named: string, io: Io): Promise<LockOnDisk | undefined> {
  const text = await onDisk(named, io);
  return text === undefined ? undefined : { text, lockfile: parseLockfile(text, named) };
}

/** The user's objects in a lockfile; `named` is its path, for messages. */
export function keptIn({ objects }: Lockfile, named: string): readonly KeptObject[] {
  return objects.map((object) => ({ object, origin: { file: named } }));
}

export function isRemoteLock({ lock }: Pick<LockPlace, 'lock'>): boolean {
  return isOciPath(lock);
}

/** Where outputs are written from: the journal of that is in the working folder, where every command looks. */
export function workingPlace({ cwd }: Io): TransactionPlace {
  return { project: cwd, beside: resolve(cwd, DEFAULT_LOCK) };
}

async function onDisk(named: string, io: Io): Promise<string | undefined> {
  const path = resolve(io.cwd, named);
  try {
    await settleBeforeReading(path);
    // A link may lead to a device or a pipe, of which reading never ends.
    const found = await stat(path);
    if (!found.isFile()) {
      throw new InputError(`\`${named}\` is no file, where a lockfile is wanted`, {
        hint: 'see what it is with `ls -l`, and remove it; or name another with `--lock`',
      });
    }
    if (found.size > MAX_LOCKFILE_BYTES) {
      throw new InputError(`\`${named}\` is larger than any lockfile: ${found.size} bytes`);
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof InputError) throw error;
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code === 'ENOENT') return undefined;
    throw new InputError(`cannot read \`${named}\`: ${error.message}`, { cause: error });
  }
}

async function pulled(place: LockPlace, io: Io): Promise<string | undefined> {
  const { findArtifact, requireFile, LOCK_TITLE, registriesFor } =
    await import('./registry/registries.js');
  const artifact = await findArtifact(place.lock, await registriesFor(place, io));
  if (artifact === undefined) return undefined;
  const bytes = await requireFile(artifact, LOCK_TITLE, place.lock);
  return Buffer.from(bytes).toString('utf8');
}

/** Reads a lockfile that must exist; undefined: there is none, and an error has been printed. */
export async function requireLock(
  args: LockPlace & { readonly output?: string | undefined },
  io: Io,
): Promise<LockOnDisk | undefined> {
  const lock = await readLock(args, io);
  if (lock !== undefined) return lock;
  reportNoLock(args, '`xpkg-resolve resolve` writes one; `--lock` says where it is', io);
  return undefined;
}

/** Tells that there is no lockfile, and what to do. */
export function reportNoLock(
  args: Pick<LockPlace, 'lock'> & { readonly output?: string | undefined },
  hint: string,
  io: Io,
): ExitCode {
  const text = `there is no lockfile \`${args.lock}\``;
  const code = reportMismatches([{ kind: 'missing', text }], args, io);
  io.note(`hint: ${hint}`);
  return code;
}
