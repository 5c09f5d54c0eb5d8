import { open } from 'node:fs/promises';

/**
 * Writes the names in a folder to the disk, so that a power cut cannot undo a rename in it.
 *
 * Where a file system refuses to sync a folder it keeps names safe by itself, so that is no error.
 */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  if (handle === undefined) return;
  try {
    await handle.sync().catch(() => undefined);
  } finally {
    await handle.close();
  }
}
