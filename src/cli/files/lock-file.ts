import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { recoverBeforeReading } from '../../base/files/recovery.js';
import type { TransactionFolders } from '../../base/files/transaction.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { parseLockfile } from '../../project/lockfile/parse-lockfile.js';
import { InputError } from '../../base/errors.js';
import type { KeptObject } from '../../crossplane/package-manager/image-config.js';
import { mismatchResult } from './mismatches.js';
import { DEFAULT_LOCK } from '../arguments/common-flags.js';
import type { RunIo } from '../terminal/io.js';
import { isOciPath } from '../sources/oci-path.js';
import type { RegistryArgs } from '../sources/registries.js';

/** Maximum size. The largest set tried, with 24,000 CRDs, takes 2 MiB. */
export const MAX_LOCKFILE_BYTES = 16 * 1024 * 1024;

/** A lockfile that was read, from disk or from a registry. */
export interface LockOnDisk {
  readonly text: string;
  readonly lockfile: Lockfile;
}

/** Path of a lockfile, with the flags to reach it at a registry. */
export type LockPlace = { readonly lock: string } & RegistryArgs;

/** Reads the lockfile that the user names, also from `oci://…`; undefined if it does not exist. */
export async function readLock(place: LockPlace, io: RunIo): Promise<LockOnDisk | undefined> {
  if (!isOciPath(place.lock)) return readLockFile(place.lock, io);
  const { findArtifact, requireFile, LOCK_TITLE, registriesFor } =
    await import('../sources/registries.js');
  const artifact = await findArtifact(place.lock, await registriesFor(place, io));
  if (artifact === undefined) return undefined;
  const bytes = await requireFile(artifact, LOCK_TITLE, place.lock);
  const text = Buffer.from(bytes).toString('utf8');
  return { text, lockfile: parseLockfile(text, place.lock) };
}

/** Reads a lockfile from disk; undefined if it does not exist. */
export async function readLockFile(named: string, io: RunIo): Promise<LockOnDisk | undefined> {
  await recoverBeforeReading(resolve(io.cwd, named));
  const text = await readLockText(named, io);
  return text === undefined ? undefined : { text, lockfile: parseLockfile(text, named) };
}

/** Returns the extra manifests in a lockfile; `named` is its path, for messages. */
export function extraManifestsIn({ objects }: Lockfile, named: string): readonly KeptObject[] {
  return objects.map((object) => ({ object, origin: { file: named } }));
}

/** Where outputs are written: the journal is in the folder of the project, where every command looks. */
export function workingPlace({ cwd, projectFolder = cwd }: RunIo): TransactionFolders {
  return { project: projectFolder, journalBeside: resolve(projectFolder, DEFAULT_LOCK) };
}

/** Returns the text of a lockfile on disk; undefined: there is none. Throws if it is not a file, or too large. */
export async function readLockText(named: string, io: RunIo): Promise<string | undefined> {
  const path = resolve(io.cwd, named);
  try {
    // A symbolic link may lead to a device or a pipe, whose content never ends.
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
    if (error instanceof InputError || !(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'ENOENT') return undefined;
    throw new InputError(`cannot read \`${named}\`: ${error.message}`, { cause: error });
  }
}

/** What to do if a command needs a lockfile and there is none. */
export const NO_LOCK_HINT = '`xpkg-resolve resolve` writes one; `--lock` says where it is';

/** Reads a lockfile that must exist. Throws an `OtherResult` if there is none. */
export async function readRequiredLock(
  args: LockPlace,
  io: RunIo,
  hint = NO_LOCK_HINT,
): Promise<LockOnDisk> {
  const lock = await readLock(args, io);
  if (lock !== undefined) return lock;
  const text = `there is no lockfile \`${args.lock}\``;
  throw mismatchResult([{ kind: 'missing', text }], args.lock, io, [`hint: ${hint}`]);
}
