import { constants } from 'node:fs';
import {
  type FileHandle,
  access,
  copyFile,
  link,
  lstat,
  mkdir,
  readFile,
  realpath,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  temporaryId,
  codeOf,
  isAbsent,
  withWriteError,
  writeError,
  undefinedIfAbsent,
  removeWithRetry,
  removeIfEmpty,
  syncFolder,
  writeThrough,
} from './file-system.js';
import {
  type Holder,
  JOURNAL_NAME,
  type FolderLocks,
  lockFolders,
  lockHolder,
  lockPath,
  waitForLock,
  withLock,
} from './folder-lock.js';
import {
  backupPath,
  newContentPath,
  beginJournal,
  commitJournal,
  type Plan,
  removeTemporaryFiles,
  existingFolder,
  makeChanges,
  recoverJournal,
  recoverTransactions,
  syncFolders,
  undoChanges,
} from './recovery.js';
import { isWithin } from './paths.js';
import { type Digest, sha256 } from '../digest.js';
import { InputError, messageOf } from '../errors.js';
import { hasWrittenMark } from '../yaml/write-yaml.js';

/** A file to write or, if `content` is undefined, to remove. */
export interface FileChange {
  readonly path: string;
  readonly content: string | Uint8Array | undefined;
  /** Throws instead of replacing an existing file that this tool did not write. */
  readonly replacesOnlyOwn?: boolean | undefined;
}

export interface TransactionFolders {
  /** The working folder; links must not lead out of it. */
  readonly project?: string | undefined;
  /** A file that other commands read first. The journal is in its folder. */
  readonly journalBeside?: string | undefined;
}

/**
 * Changes all files or none, even if the process is killed or the power fails.
 *
 * With the folders locked, it writes the plan to a journal. Next it does everything that can fail
 * for lack of space or permission, under temporary names, and commits the journal. Only renames
 * remain. If one fails, all are undone. If the process is killed, `recoverTransactions` finishes or
 * undoes the transaction in the next process. Signals are delayed until the end. Files that would
 * not change are not touched.
 */
export async function writeTransaction(
  changes: readonly FileChange[],
  place: TransactionFolders = {},
): Promise<void> {
  const make = () => waitForLock(() => tryTransaction(changes, place));
  const before = lastTransaction?.process === process.pid ? lastTransaction.done : undefined;
  // If no transaction is running, it begins at once, so that the next signal is already delayed.
  const transaction = before === undefined ? make() : before.then(make);
  const own = { process: process.pid, done: transaction.catch(() => {}) };
  lastTransaction = own;
  try {
    await transaction;
  } finally {
    if (lastTransaction === own) lastTransaction = undefined;
  }
}

/** The last running transaction. Locks are for other processes and slower to wait for. */
let lastTransaction: { readonly process: number; readonly done: Promise<void> } | undefined;

async function tryTransaction(
  requested: readonly FileChange[],
  { project, journalBeside }: TransactionFolders,
): Promise<Holder | undefined> {
  const changes: FileChange[] = [];
  for (const change of requested) {
    const path = await withWriteError(change.path, () => outputPath(change.path, project));
    changes.push({ ...change, path });
  }
  const paths = changes.map(({ path }) => path);
  const busy = await recoverTransactions(
    journalBeside === undefined ? paths : [journalBeside, ...paths],
  );
  if (busy !== undefined) return busy;
  const pending = await neededChanges(changes);
  const [first] = pending;
  if (first === undefined) return undefined;
  return withWriteError(first.path, async () => {
    const candidates = journalBeside === undefined ? [first.path] : [journalBeside, first.path];
    const home = await firstWritable(candidates);
    return withLock(home, async () => {
      await recoverJournal(home);
      return applyChanges(pending, home, async () => {
        const currentChanges = await neededChanges(changes);
        return (
          currentChanges.length === pending.length &&
          currentChanges.every((one) => pending.includes(one))
        );
      });
    });
  });
}

/** Returns the first folder of these paths that is writable, or the last one if none is. */
async function firstWritable(paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    const folder = await existingFolder(dirname(path));
    const errorCode = await access(folder, constants.W_OK).catch(codeOf);
    if (errorCode === undefined) return folder;
  }
  return existingFolder(dirname(paths.at(-1)!));
}

/**
 * Makes changes while the folder of the journal is locked. Undoes all if one fails. `isComplete` is
 * called once all locks are taken. It returns whether these are still the only files that differ.
 */
async function applyChanges(
  changes: readonly FileChange[],
  home: string,
  isComplete: () => Promise<boolean>,
): Promise<Holder | undefined> {
  const plan = await planOf(changes, home);
  let journal: FileHandle | undefined;
  let locks: FolderLocks | Holder | undefined;
  let failure: Awaited<ReturnType<typeof undoAfter>> | undefined;
  try {
    journal = await beginJournal(plan);
    await syncFolder(home);
    for (const folder of plan.folders) {
      const failed = await mkdir(folder).catch((error: unknown) => error);
      if (failed !== undefined && codeOf(failed) !== 'EEXIST') throw writeError(folder, failed);
    }
    locks = lockFolders(plan.locked, home);
    if ('lock' in locks) return locks;
    // Check again: another process may have written before the locks were taken.
    if (!(await isCurrent(plan)) || !(await isComplete())) {
      return { lock: lockPath(home), pid: undefined, host: undefined };
    }
    await stage(changes, plan);
    await commitJournal(journal);
    await makeChanges(plan);
  } catch (error) {
    failure = await undoAfter(plan, error);
    throw failure.error;
  } finally {
    await journal?.close();
    const isClear = failure?.undone !== false && (await removeTemporaryFiles(plan));
    if (locks !== undefined && 'release' in locks) {
      if (isClear) locks.release();
      else locks.keepFiles();
    }
    for (const folder of plan.folders.toReversed()) await removeIfEmpty(folder);
    // The next process needs the journal to remove the rest.
    if (isClear) await removeWithRetry(join(home, JOURNAL_NAME));
  }
  return undefined;
}

async function undoAfter(plan: Plan, error: unknown) {
  try {
    await undoChanges(plan);
    return { error, undone: true };
  } catch {
    const hint = `not all was put back: the next run finishes it, by \`${JOURNAL_NAME}\` in \`${plan.home}\``;
    return { error: new InputError(messageOf(error), { cause: error, hint }), undone: false };
  }
}

async function planOf(changes: readonly FileChange[], home: string): Promise<Plan> {
  const planned = [];
  const folders = new Set<string>();
  const locked = new Set<string>();
  for (const { path, content } of changes) {
    const becomes = content === undefined ? undefined : sha256(content);
    planned.push({ path, was: await digestOf(path), becomes, id: temporaryId() });
    const folder = dirname(path);
    for (const missing of await missingFolders(folder)) folders.add(missing);
    locked.add(await existingFolder(folder)).add(folder);
  }
  locked.delete(home);
  const holder = lockHolder();
  return { home, holder, changes: planned, folders: [...folders], locked: [...locked] };
}

/** Whether all files are still what they were when the plan was made. */
async function isCurrent({ changes }: Plan): Promise<boolean> {
  for (const { path, was } of changes) if ((await digestOf(path)) !== was) return false;
  return true;
}

async function digestOf(path: string): Promise<Digest | undefined> {
  const bytes = await contentOf(path);
  return bytes && sha256(bytes);
}

/** Returns the missing folders from the outermost to `folder` itself. */
async function missingFolders(folder: string): Promise<readonly string[]> {
  if ((await existingFolder(folder)) === folder) return [];
  return [...(await missingFolders(dirname(folder))), folder];
}

/** Writes all new files and the backups of old ones to disk. */
async function stage(changes: readonly FileChange[], plan: Plan): Promise<void> {
  for (const [index, { path, content }] of changes.entries()) {
    const planned = plan.changes[index]!;
    await withWriteError(path, async () => {
      if (content === undefined) return;
      const before = await undefinedIfAbsent(lstat(path));
      await writeThrough(newContentPath(planned), async (file) => {
        if (before !== undefined) await file.chmod(before.mode & 0o7777);
        await file.writeFile(content);
      });
      if (before === undefined) return;
      // A hard link, or a copy if the file system has no links.
      const backup = backupPath(planned);
      await link(path, backup).catch(() => copyFile(path, backup));
    });
  }
  const parents = plan.folders.map((folder) => dirname(folder));
  await syncFolders(plan.changes, parents);
}

/** Returns the changes of files that differ from the new content. */
async function neededChanges(changes: readonly FileChange[]): Promise<readonly FileChange[]> {
  const needed: FileChange[] = [];
  for (const each of changes) {
    if (await withWriteError(each.path, () => isNeeded(each))) needed.push(each);
  }
  return needed;
}

async function isNeeded({ path, content, replacesOnlyOwn = false }: FileChange): Promise<boolean> {
  const before = await contentOf(path);
  if (before === undefined || content === undefined) {
    return (
      before !== content && !(replacesOnlyOwn && before !== undefined && !hasWrittenMark(before))
    );
  }
  if (before.equals(Buffer.from(content))) return false;
  if (!replacesOnlyOwn || hasWrittenMark(before)) return true;
  throw new InputError(`\`${path}\` was not written by xpkg-resolve, and is not replaced`, {
    hint: 'name another folder with `--out`, or move that file away',
  });
}

/** Returns undefined if no file exists. Refuses devices: reading them may never end. */
async function contentOf(path: string): Promise<Buffer | undefined> {
  const stats = await undefinedIfAbsent(lstat(path));
  if (stats === undefined || stats.isFile()) return stats && readFile(path);
  throw new InputError(`\`${path}\` is ${stats.isDirectory() ? 'a folder' : 'not a file'}`, {
    hint: 'a file is to be written there: remove it, or name another place',
  });
}

/**
 * Returns the real path of a file or folder to write. `project` is the working folder. Links in a
 * project are untrusted. Throws if one leads out of the project or, for a path outside of it, out
 * of its folder.
 */
export async function outputPath(path: string, project = dirname(path)): Promise<string> {
  const root = isWithin(path, project) ? project : dirname(path);
  const real = await resolveLinks(path);
  if (isWithin(real, await resolveLinks(root))) return real;
  throw new InputError(`\`${path}\` is reached by a link and is really \`${real}\``, {
    hint: `links out of \`${root}\` are not written through: remove the link, or name the real path`,
  });
}

async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isAbsent(error) || dirname(path) === path) throw error;
  }
  const link = await lstat(path).catch(() => undefined);
  // Another process may have created the file meanwhile. Only a link can exist without a target.
  if (link?.isSymbolicLink() !== true)
    return join(await resolveLinks(dirname(path)), basename(path));
  throw new InputError(`\`${path}\` is a link to something that does not exist`, {
    hint: 'make what it points to, or remove the link',
  });
}
