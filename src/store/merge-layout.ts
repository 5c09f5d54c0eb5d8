import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../files/error-code.js';
import { removeFirmly, removeIfEmpty } from '../files/journal/remove-firmly.js';
import { namesIn } from '../files/names-in.js';
import { syncFolder } from '../files/sync-folder.js';

const BLOBS = join('blobs', 'sha256');

/**
 * Makes the layout in `folder` the one in `staging`, which is left without its new files.
 *
 * Blobs are named by their digest, so those of two layouts can stand side by side. They are added
 * first; the rename of `index.json` is the one step by which the layout becomes another; then go
 * the blobs that only the old one had. A process killed before that step leaves the old layout with
 * blobs that nothing names, one killed after it the new layout with such; the next merge removes
 * them.
 */
export async function mergeLayout(staging: string, folder: string): Promise<void> {
  const undo: (() => Promise<unknown>)[] = [];
  const wanted = new Set(await readdir(join(staging, BLOBS)));
  try {
    for (const part of ['blobs', BLOBS]) {
      if (await made(join(folder, part))) undo.push(() => removeIfEmpty(join(folder, part)));
    }
    const held = new Set([
      ...(await namesIn(folder)),
      ...(await namesIn(join(folder, BLOBS))).map((name) => join(BLOBS, name)),
    ]);
    // Those that are there are replaced, too: their bytes may be damaged.
    for (const file of [...[...wanted].sort().map((name) => join(BLOBS, name)), 'oci-layout']) {
      await rename(join(staging, file), join(folder, file));
      if (!held.has(file)) undo.push(() => removeFirmly(join(folder, file)));
    }
    for (const part of [BLOBS, 'blobs', '.']) await syncFolder(join(folder, part));
    await rename(join(staging, 'index.json'), join(folder, 'index.json'));
  } catch (error) {
    for (const step of undo.toReversed()) await step();
    throw error;
  }
  await syncFolder(folder);
  for (const name of await namesIn(join(folder, BLOBS))) {
    if (!wanted.has(name)) await removeFirmly(join(folder, BLOBS, name));
  }
}

/** Makes a folder; returns false where it is there already. */
async function made(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
}
