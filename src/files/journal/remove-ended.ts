import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isOfEndedRun } from '../run-name.js';
import { removeFirmly } from './remove-firmly.js';

/**
 * Removes what carries the name of a process that has ended from a folder: its temporary files and
 * folders. What cannot be removed does no harm.
 */
export async function removeEnded(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (isOfEndedRun(name)) await removeFirmly(join(folder, name));
  }
}
