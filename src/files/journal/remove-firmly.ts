import { rm, rmdir } from 'node:fs/promises';
import { codeOf } from '../error-code.js';

/** Removes a file or a folder with all in it; tries twice. Returns whether it is gone. */
export async function removeFirmly(path: string): Promise<boolean> {
  return twice(() => rm(path, { recursive: true, force: true }), ['ENOENT', 'ENOTDIR']);
}

/** Removes a folder unless something is in it; tries twice. Returns whether that was possible. */
export async function removeIfEmpty(folder: string): Promise<boolean> {
  return twice(() => rmdir(folder), ['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR']);
}

async function twice(remove: () => Promise<void>, harmless: readonly string[]): Promise<boolean> {
  for (const _ of ['first', 'second']) {
    try {
      await remove();
      return true;
    } catch (error) {
      if (harmless.includes(codeOf(error))) return true;
    }
  }
  return false;
}
