import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './error-code.js';

const MAX_TRIES = 5;

/**
 * Makes a folder and those above it, unless they exist; `made` lists what was made, outermost first.
 *
 * Not `mkdir` with `recursive`: Node never returns from that where the parent exists and refuses
 * new folders, as below /proc.
 */
export async function makeFolder(
  folder: string,
  mode?: number,
  made: string[] = [],
): Promise<void> {
  const above = dirname(folder);
  for (let tries = 1; ; tries += 1) {
    try {
      await mkdir(folder, { mode });
      made.push(folder);
      return;
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && (await isFolder(folder))) return;
      // Tried again: another process may have removed the parent between two steps.
      if (codeOf(error) !== 'ENOENT' || above === folder || tries === MAX_TRIES) throw error;
      if (!(await isFolder(above))) await makeFolder(above, mode, made);
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
