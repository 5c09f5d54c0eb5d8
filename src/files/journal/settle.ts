import { lstatSync, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { InputError } from '../../model/input-error.js';
import { isAbsent, isFileSystemError } from '../error-code.js';
import {
  hasLockOf,
  journalHome,
  lockPath,
  removeLockOf,
  withLocks,
  type Busy,
} from '../folder-lock.js';
import { isTemporaryOf } from '../temporary-name.js';
import { backupOf, freshOf, isWithin, JOURNAL_NAME, readJournal, type Plan } from './journal.js';
import { bringToOneState } from './one-state.js';
import { removeEnded } from './remove-ended.js';
import { removeFirmly, removeIfEmpty } from './remove-firmly.js';

/**
 * Finishes or undoes what killed processes began around these files, and removes what they left.
 *
 * A journal may be in the folder of a file or in any folder above, where folders had to be made
 * for the file; so all of them are looked at. Returns the lock of a process that is at work there.
 */
export async function settle(paths: readonly string[]): Promise<Busy | undefined> {
  const folders = new Set(await Promise.all(paths.map((path) => existingFolder(dirname(path)))));
  for (const folder of folders) {
    await removeEnded(folder);
    const beside = paths.filter((path) => dirname(path) === folder);
    if (isLeft(folder, () => true)) {
      const busy = await settleIn(folder, beside);
      if (busy !== undefined) return busy;
    }
    for (const above of foldersAbove(folder)) {
      // Above the outputs there may be folders that strangers write to, as /tmp.
      if (isLeft(above, isOwnUser)) await settleIn(above, []);
    }
  }
  return undefined;
}

/** As `settle`, for a command that reads one file: what cannot be settled now does not stop it. */
export async function settleBeforeReading(path: string): Promise<void> {
  try {
    await settle([path]);
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
  }
}

/**
 * As `settle`, for a command that may have nothing to do with the folder it runs in: left alone is
 * what another user left there, and what cannot be settled now does not stop it.
 */
export async function settleWorkingFolder(folder: string): Promise<void> {
  try {
    await removeEnded(folder);
    if (isLeft(folder, isOwnUser)) await settleIn(folder, []);
  } catch (error) {
    if (!isFileSystemError(error) && !(error instanceof InputError)) throw error;
  }
}

function isOwnUser(uid: number): boolean {
  return uid === process.getuid?.();
}

/** Deals with the journal in a folder; the caller holds the lock of that folder. */
export async function recoverIn(home: string): Promise<void> {
  const found = await readJournal(home);
  if (found === undefined) return;
  if (found.plan !== undefined && isVouchedFor(found.plan)) {
    if (found.committed) await bringToOneState(found.plan);
    await clearAway(found.plan);
    for (const folder of found.plan.locked) removeLockOf(found.plan.holder, folder, home);
    for (const folder of found.plan.folders.toReversed()) await removeIfEmpty(folder);
  }
  await removeFirmly(join(home, JOURNAL_NAME));
}

/**
 * Whether all that a plan changes is below the folder of its journal, or in folders that hold the
 * lock of its process: a journal may come from a stranger, in a repository.
 */
function isVouchedFor({ home, holder, changes }: Plan): boolean {
  return changes.every(({ path }) => {
    const folder = dirname(path);
    return isWithin(folder, home) || hasLockOf(holder, folder, home);
  });
}

/** Removes all temporary files of a plan; returns whether they are gone. */
export async function clearAway({ changes }: Plan): Promise<boolean> {
  let gone = true;
  for (const change of changes) {
    for (const path of [freshOf(change), backupOf(change)]) {
      gone = (await removeFirmly(path)) && gone;
    }
  }
  return gone;
}

/** Folders that hold outputs of a plan, each once. */
export function outputFolders({ changes }: Plan): readonly string[] {
  return [...new Set(changes.map(({ path }) => dirname(path)))];
}

/** The folder, or the nearest one above it that exists. */
export async function existingFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
  const above = dirname(folder);
  return found !== undefined || above === folder ? folder : existingFolder(above);
}

async function settleIn(folder: string, outputs: readonly string[]): Promise<Busy | undefined> {
  const home = journalHome(folder);
  if (home !== undefined && home !== folder && isLeft(home, () => true)) {
    const busy = await withLocks([home], () => recoverIn(home));
    if (busy !== undefined) return busy;
  }
  return withLocks([folder], async () => {
    await recoverIn(folder);
    for (const path of outputs) await removeLeftovers(path);
  });
}

/**
 * Whether a folder holds a lock or a journal of a user that `isTrusted` admits. Asked of every folder
 * above a file, before each file: a thread for each question would cost more than the answer.
 */
function isLeft(folder: string, isTrusted: (uid: number) => boolean): boolean {
  return [lockPath(folder), join(folder, JOURNAL_NAME)].some((path) => {
    const found = statsOf(path);
    return found !== undefined && isTrusted(found.uid);
  });
}

/** undefined: there is nothing, or it cannot be looked at. */
function statsOf(path: string): Stats | undefined {
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

/** Removes temporary files beside an output that no journal names: those of older versions. */
async function removeLeftovers(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    if (!isTemporaryOf(name, basename(path), ['new', 'old'])) continue;
    await removeFirmly(join(dirname(path), name));
  }
}
