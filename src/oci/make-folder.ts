import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './transport.js';

/**
 * Makes a folder and those above it; one that is there will do.
 *
 * Node's own `recursive` never returns where a folder is there and takes none, as below /proc.
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    const above = dirname(folder);
    if (codeOf(error) === 'ENOENT' && above !== folder && !(await isFolder(above))) {
      await makeFolder(above, mode);
      return makeFolder(folder, mode);
    }
    if (codeOf(error) !== 'EEXIST' || !(await isFolder(folder))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
