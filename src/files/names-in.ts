import { readdir } from 'node:fs/promises';
import { codeOf } from './error-code.js';

/** Names of what a folder holds, sorted; none where there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
