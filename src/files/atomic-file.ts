import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from './make-folder.js';
import { runName } from './run-name.js';
import { syncFolder } from './sync-folder.js';
import { temporaryBeside } from './temporary-name.js';
import { writeThrough, type Fill } from './write-through.js';

const UNFINISHED = 'tmp';

/** Read and written by its owner alone, as everything in a cache is. */
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

interface AtomicOptions {
  /** Before the user's umask; by default for the owner alone. */
  readonly mode?: number | undefined;
  /** Folder for the file until it is whole, on the same disk; by default its own folder. */
  readonly temporary?: string | undefined;
}

/**
 * Writes a file whole or not at all, however many processes write it at once.
 *
 * A reader sees the old bytes or the new ones and never a part, after a power cut too.
 */
export function writeAtomically(
  path: string,
  bytes: Uint8Array,
  options?: AtomicOptions,
): Promise<void> {
  return fillAtomically(path, (file) => file.writeFile(bytes), options);
}

/** Like `writeAtomically`, for bytes that `fill` writes piece by piece. */
export async function fillAtomically(
  path: string,
  fill: Fill,
  { mode = PRIVATE_FILE, temporary = dirname(path) }: AtomicOptions = {},
): Promise<void> {
  const folder = dirname(path);
  for (const each of new Set([folder, temporary])) await makeFolder(each, PRIVATE_FOLDER);
  const fresh = temporaryBeside(`${join(temporary, basename(path))}.${runName()}`, UNFINISHED);
  try {
    await writeThrough(fresh, fill, mode);
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Whether a name is that of an atomic write under way, or of one whose process was killed. */
export function isUnfinished(name: string): boolean {
  return name.startsWith('.') && name.endsWith(`.${UNFINISHED}`);
}
