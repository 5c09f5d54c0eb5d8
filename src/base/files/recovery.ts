import { lstatSync, type Stats } from 'node:fs';
import { lstat, readdir, readFile, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isTemporaryOf, removeEndedRunFiles } from './atomic-file.js';
import {
  writeError,
  isAbsent,
  isFileSystemError,
  removeWithRetry,
  removeIfEmpty,
  syncFolder,
} from './file-system.js';
import {
  type Busy,
  hasLockOf,
  journalHome,
  lockPath,
  removeLockOf,
  withLocks,
} from './folder-lock.js';
import {
  backupPath,
  newContentPath,
  isWithin,
  JOURNAL_NAME,
  type Plan,
  type PlannedChange,
  readJournal,
} from './journal.js';
import { type Digest, sha256 } from '../digest.js';
import { InputError } from '../errors.js';
import { hasWrittenMark } from '../yaml/write-yaml.js';

/**
 * Finishes or undoes the transactions of killed processes that involve these files, and removes
 * their temporary files.
 *
 * A journal is in the folder of a file or, if a transaction had to create folders, above it. So all
 * of these folders are searched. Returns the lock of a process that is at work there.
 */
export async function recoverTransactions(paths: readonly string[]): Promise<Busy | undefined> {
  const folders = new Set(await Promise.all(paths.map((path) => existingFolder(dirname(path)))));
  for (const folder of folders) {
    await removeEndedRunFiles(folder);
    const beside = paths.filter((path) => dirname(path) === folder);
    if (hasLockOrJournal(folder, () => true)) {
      const busy = await recoverFolder(folder, beside);
      if (busy !== undefined) return busy;
    }
    for (const above of foldersAbove(folder)) {
      // Folders above the outputs may be writable for other users, such as /tmp.
      if (hasLockOrJournal(above, isOwnUser)) await recoverFolder(above, []);
    }
  }
  return undefined;
}

/** Like `recoverTransactions`, for a command that reads one file. Ignores errors of the file system. */
export async function recoverBeforeReading(path: string): Promise<void> {
  try {
    await recoverTransactions([path]);
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
  }
}

/** Like `recoverTransactions`, but skips files of other users and ignores failures. */
export async function settleWorkingFolder(folder: string): Promise<void> {
  try {
    await removeEndedRunFiles(folder);
    if (hasLockOrJournal(folder, isOwnUser)) await recoverFolder(folder, []);
  } catch (error) {
    if (!isFileSystemError(error) && !(error instanceof InputError)) throw error;
  }
}

function isOwnUser(uid: number): boolean {
  return uid === process.getuid?.();
}

/** Recovers the transaction of a journal. The caller holds the lock of the folder. */
export async function recoverJournal(home: string): Promise<void> {
  const found = await readJournal(home);
  if (found === undefined) return;
  if (found.plan !== undefined && isTrusted(found.plan)) {
    if (found.committed) await rollForwardOrBack(found.plan);
    await removeTemporaryFiles(found.plan);
    for (const folder of found.plan.locked) removeLockOf(found.plan.holder, folder, home);
    for (const folder of found.plan.folders.toReversed()) await removeIfEmpty(folder);
  }
  await removeWithRetry(join(home, JOURNAL_NAME));
}

/** Whether a plan, which is untrusted, changes only files in its folder or in locked folders. */
function isTrusted({ home, holder, changes }: Plan): boolean {
  return changes.every(({ path }) => {
    const folder = dirname(path);
    return isWithin(folder, home) || hasLockOf(holder, folder, home);
  });
}

/** Removes all temporary files of a plan; returns whether they are gone. */
export async function removeTemporaryFiles({ changes }: Plan): Promise<boolean> {
  let gone = true;
  for (const change of changes) {
    for (const path of [newContentPath(change), backupPath(change)]) {
      gone = (await removeWithRetry(path)) && gone;
    }
  }
  return gone;
}

export function outputFolders(changes: readonly PlannedChange[]): readonly string[] {
  return [...new Set(changes.map(({ path }) => dirname(path)))];
}

async function syncFolders(changes: readonly PlannedChange[]): Promise<void> {
  for (const folder of outputFolders(changes)) await syncFolder(folder);
}

/** Returns the folder, or its nearest parent that exists. */
export async function existingFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
  const above = dirname(folder);
  return found !== undefined || above === folder ? folder : existingFolder(above);
}

async function recoverFolder(
  folder: string,
  outputs: readonly string[],
): Promise<Busy | undefined> {
  const home = journalHome(folder);
  if (home !== undefined && home !== folder && hasLockOrJournal(home, () => true)) {
    const busy = await withLocks([home], () => recoverJournal(home));
    if (busy !== undefined) return busy;
  }
  return withLocks([folder], async () => {
    await recoverJournal(folder);
    for (const path of outputs) await removeLeftovers(path);
  });
}

/** Whether a folder has a lock or journal of a trusted user. Called often, so synchronous. */
function hasLockOrJournal(folder: string, isTrustedUser: (uid: number) => boolean): boolean {
  return [lockPath(folder), join(folder, JOURNAL_NAME)].some((path) => {
    const found = statIfReadable(path);
    return found !== undefined && isTrustedUser(found.uid);
  });
}

/** Returns undefined if there is nothing or the path cannot be read. */
function statIfReadable(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    return undefined;
  }
}

function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...foldersAbove(above)];
}

/** Removes temporary files of an output that no journal names. Older versions left them. */
async function removeLeftovers(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    if (!isTemporaryOf(name, basename(path), ['new', 'old'])) continue;
    await removeWithRetry(join(dirname(path), name));
  }
}

interface ChangeState {
  readonly change: PlannedChange;
  readonly isOld: boolean;
  readonly isNew: boolean;
  /** The new content exists under its temporary name. */
  readonly hasNewContent: boolean;
  readonly hasBackup: boolean;
  readonly isMarked: boolean;
}

/** Makes all changes of a plan, each with one rename. Errors name the file. */
export async function makeChanges({ changes }: Plan): Promise<void> {
  for (const change of changes) {
    await makeChange(change).catch((error: unknown) => {
      throw writeError(change.path, error);
    });
  }
  await syncFolders(changes);
}

export async function undoChanges({ changes }: Plan): Promise<void> {
  const states = await Promise.all(changes.map(stateOf));
  await undoAll(states.filter(({ isOld }) => !isOld));
}

/**
 * Finishes an interrupted transaction or, if the user has changed a file since, undoes it.
 *
 * If neither is possible, all files stay as they are: their content belongs to the user. Removes
 * only files with the mark of this tool, whatever the journal states.
 */
async function rollForwardOrBack({ changes }: Plan): Promise<void> {
  const states = await Promise.all(changes.map(stateOf));
  if (states.every(canFinish)) {
    for (const { change, isNew } of states) if (!isNew) await makeChange(change);
    await syncFolders(changes);
  } else if (states.every(canUndo)) {
    await undoAll(states.filter(({ isOld }) => !isOld));
  }
}

function canFinish({ change, isNew, isOld, hasNewContent, isMarked }: ChangeState): boolean {
  return isNew || (isOld && (change.becomes === undefined ? isMarked : hasNewContent));
}

function canUndo({ change, isNew, isOld, hasBackup, isMarked }: ChangeState): boolean {
  return isOld || (isNew && (change.was === undefined ? isMarked : hasBackup));
}

async function undoAll(states: readonly ChangeState[]): Promise<void> {
  for (const { change } of states.toReversed()) await undoChange(change);
  await syncFolders(states.map(({ change }) => change));
}

function makeChange(change: PlannedChange): Promise<void> {
  return change.becomes === undefined
    ? rename(change.path, backupPath(change))
    : rename(newContentPath(change), change.path);
}

function undoChange(change: PlannedChange): Promise<void> {
  return change.was === undefined
    ? rename(change.path, newContentPath(change))
    : rename(backupPath(change), change.path);
}

async function stateOf(change: PlannedChange): Promise<ChangeState> {
  const now = await contentOf(change.path);
  const digest = now === undefined ? undefined : digestOf(now);
  const holds = async (path: string, wanted: Digest | undefined) => {
    const content = await contentOf(path);
    return content !== undefined && digestOf(content) === wanted;
  };
  return {
    change,
    isOld: digest === change.was,
    isNew: digest === change.becomes,
    hasNewContent: await holds(newContentPath(change), change.becomes),
    hasBackup: await holds(backupPath(change), change.was),
    isMarked: Buffer.isBuffer(now) && hasWrittenMark(now),
  };
}

/** Returns undefined if there is nothing, and `other` if it is not a file. */
async function contentOf(path: string): Promise<Buffer | 'other' | undefined> {
  try {
    return (await lstat(path)).isFile() ? await readFile(path) : 'other';
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function digestOf(content: Buffer | 'other'): Digest | 'other' {
  return content === 'other' ? content : sha256(content);
}
