import type { Stats } from 'node:fs';
import { copyFile, link, readdir, readFile, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { InputError } from '../model/input-error.js';
import { cannotWrite } from './cannot-write.js';
import { commitMoves, type FileMove } from './commit-moves.js';
import { isLocked, withLocks, type Busy } from './folder-lock.js';
import { makeFolder } from './make-folder.js';
import { syncFolder } from './sync-folder.js';
import { isTemporaryOf, temporaryBeside } from './temporary-name.js';
import { waitForLock } from './wait-for-lock.js';
import { writeThrough } from './write-through.js';

/** A file to write or, where `content` is undefined, to remove. */
export interface FileChange {
  readonly path: string;
  readonly content: string | Uint8Array | undefined;
}

/** Endings of the new content of a file, and of its old content under a second name. */
const FRESH = 'new';
const BACKUP = 'old';

/**
 * Changes all files or none.
 *
 * Everything that can fail for lack of space or permission happens first, beside the files; what
 * remains is a list of renames, which `commitMoves` makes or undoes together. Signals wait for the
 * end of it, and other processes of this tool for the lock, so that all files are from one process.
 * Files that would not change are not touched.
 */
export async function writeTransaction(changes: readonly FileChange[]): Promise<void> {
  const made: string[] = [];
  await waitForLock(async () => {
    try {
      return await attempt(await Promise.all(changes.map(throughLinks)), made);
    } catch (error) {
      for (const folder of made.reverse()) await removeIfEmpty(folder);
      throw error;
    }
  });
}

async function attempt(changes: readonly FileChange[], made: string[]): Promise<Busy | undefined> {
  const pending = await effective(changes);
  for (const { path } of pending) {
    await naming(path, () => makeFolder(dirname(path), undefined, made));
  }
  // A folder in which nothing changes is entered only to remove what a killed process left there.
  const left = changes.map(({ path }) => dirname(path)).filter(isLocked);
  const folders = [...new Set([...pending.map(({ path }) => dirname(path)), ...left])];
  return naming(folders[0] ?? '', () =>
    withLocks(folders, async () => {
      for (const { path } of changes)
        if (folders.includes(dirname(path))) await removeLeftovers(path);
      for (const folder of made) await syncFolder(dirname(folder));
      // Looked at again: another process may have written before the lock was taken.
      await change(await effective(pending));
    }),
  );
}

async function change(changes: readonly FileChange[]): Promise<void> {
  const temporary: string[] = [];
  try {
    const moves: FileMove[] = [];
    for (const each of changes) {
      moves.push(await naming(each.path, () => stage(each, temporary)));
    }
    const failed = await commitMoves(moves);
    if (failed !== undefined) throw cannotWrite(changes[failed.index]!.path, failed.error);
  } finally {
    for (const path of temporary) await rm(path, { force: true });
  }
}

/** Prepares the rename that makes a change; what it writes beside the file is listed in `temporary`. */
async function stage({ path, content }: FileChange, temporary: string[]): Promise<FileMove> {
  const before = await statIfAny(path);
  if (before?.isDirectory() === true) throw new InputError(`\`${path}\` is a folder`);
  const [fresh, backup] = [temporaryBeside(path, FRESH), temporaryBeside(path, BACKUP)];
  temporary.push(fresh, backup);
  if (content === undefined) return { from: path, to: backup };
  await writeThrough(fresh, async (file) => {
    if (before !== undefined) await file.chmod(before.mode & 0o7777);
    await file.writeFile(content);
  });
  if (before === undefined) return { from: fresh, to: path };
  await keep(path, backup);
  return { from: fresh, to: path, backup };
}

/** Gives a file a second name, or makes a copy where the file system has no links. */
async function keep(path: string, backup: string): Promise<void> {
  try {
    await link(path, backup);
  } catch {
    await copyFile(path, backup);
  }
}

/** A link stays a link: the file that it points to is replaced. */
async function throughLinks(change: FileChange): Promise<FileChange> {
  const real = await realpath(change.path).catch(() => change.path);
  return { ...change, path: real };
}

/** The changes after which a file differs from what it is. */
async function effective(changes: readonly FileChange[]): Promise<readonly FileChange[]> {
  const differ = await Promise.all(changes.map(differs));
  return changes.filter((_, index) => differ[index]);
}

async function differs({ path, content }: FileChange): Promise<boolean> {
  const before = await statIfAny(path);
  if (before === undefined || content === undefined) return before !== content;
  return !before.isFile() || !Buffer.from(content).equals(await readFile(path));
}

function statIfAny(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

/** Removes what a killed process left beside a file: with the lock held, no other process writes there. */
async function removeLeftovers(path: string): Promise<void> {
  const [folder, original] = [dirname(path), basename(path)];
  for (const name of await readdir(folder)) {
    if (!isTemporaryOf(name, original, [FRESH, BACKUP])) continue;
    await rm(join(folder, name), { force: true });
  }
}

/** A folder in which another process has put a file stays. */
async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

/** Says which file could not be written, should `action` fail. */
async function naming<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw cannotWrite(path, error);
  }
}
