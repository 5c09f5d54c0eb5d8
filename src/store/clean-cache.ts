import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../files/error-code.js';
import { namesIn } from '../files/names-in.js';
import { runName } from '../files/run-name.js';
import { temporaryBeside } from '../files/temporary-name.js';

/** Folders that any version of this tool makes in a cache, and those that it is removing. */
const OWN_FOLDER = /^(?:v\d+|\.v\d+\.[0-9a-f.-]+\.gone)$/;

/**
 * Removes everything that any version of this tool put into a cache; returns whether there was any.
 *
 * Each folder is renamed before it is removed, so that no other process sees half of one.
 */
export async function cleanCache(folder: string): Promise<boolean> {
  const own = (await namesIn(folder)).filter((name) => OWN_FOLDER.test(name));
  for (const name of own) {
    const path = join(folder, name);
    const gone = name.startsWith('.') ? path : temporaryBeside(`${path}.${runName()}`, 'gone');
    try {
      if (gone !== path) await rename(path, gone);
      await rm(gone, { recursive: true, force: true });
    } catch (error) {
      // Another process that cleans the cache was faster.
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  return own.length > 0;
}
