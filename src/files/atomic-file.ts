import { randomBytes } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from './make-folder.js';

/**
 * Writes a file whole or not at all, however many processes write it at once.
 *
 * Others see the old bytes or the new ones, never a part; so does whoever looks after a power cut.
 * Only the owner may read it, unless `mode` says otherwise.
 */
export async function writeAtomically(
  path: string,
  bytes: Uint8Array,
  mode = 0o600,
): Promise<void> {
  return fillAtomically(path, (file) => file.writeFile(bytes), mode);
}

/** The same for bytes that come bit by bit; `fill` writes to the end of the file, whatever it does. */
export async function fillAtomically(
  path: string,
  fill: (file: FileHandle) => Promise<void>,
  mode = 0o600,
): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder, 0o700);
  const fresh = join(folder, `.${basename(path)}.${randomBytes(8).toString('hex')}${UNFINISHED}`);
  try {
    await writeThrough(fresh, fill, mode);
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

const UNFINISHED = '.tmp';

/** Whether a name is that of a write that was never finished, or is under way. */
export function isUnfinished(name: string): boolean {
  return name.startsWith('.') && name.endsWith(UNFINISHED);
}

async function writeThrough(
  path: string,
  fill: (file: FileHandle) => Promise<void>,
  mode: number,
): Promise<void> {
  const file = await open(path, 'ax', mode);
  try {
    await fill(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes names last; where folders cannot be synced, the file system sees to that itself. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  if (handle === undefined) return;
  try {
    await handle.sync().catch(() => undefined);
  } finally {
    await handle.close();
  }
}
