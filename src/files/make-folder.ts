import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './error-code.js';

const MOST_TRIES = 5;

/**
 * Makes a folder and those above it; one that is there will do.
 *
 * Node's own `recursive` never returns where a folder is there and takes none, as below /proc.
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  const above = dirname(folder);
  for (let tries = 1; ; tries += 1) {
    try {
      await mkdir(folder, { mode });
      return;
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && (await isFolder(folder))) return;
      // Other processes make folders as well, and take them away: one try says nothing.
      if (codeOf(error) !== 'ENOENT' || above === folder || tries === MOST_TRIES) throw error;
      if (!(await isFolder(above))) await makeFolder(above, mode);
    }
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
