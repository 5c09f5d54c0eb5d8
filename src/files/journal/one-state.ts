import { lstat, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sha256, type Digest } from '../../text/digest.js';
import { isMarked } from '../../text/written-mark.js';
import { cannotWrite } from '../cannot-write.js';
import { isAbsent } from '../error-code.js';
import { syncFolder } from '../sync-folder.js';
import { backupOf, freshOf, type Plan, type PlannedChange } from './journal.js';

/** A change, and how far it has come. */
interface ChangeState {
  readonly change: PlannedChange;
  readonly isOld: boolean;
  readonly isNew: boolean;
  /** The new content is there to be moved into place. */
  readonly hasFresh: boolean;
  readonly hasBackup: boolean;
  /** The file begins as those do that this tool writes. */
  readonly isMarked: boolean;
}

/** Makes all changes of a plan, each by one rename; an error names the file. */
export async function makeChanges({ changes }: Plan): Promise<void> {
  for (const change of changes) {
    await make(change).catch((error: unknown) => {
      throw cannotWrite(change.path, error);
    });
  }
  await syncFolders(changes);
}

/** Undoes the changes that this process made. */
export async function undoChanges({ changes }: Plan): Promise<void> {
  const states = await Promise.all(changes.map(stateOf));
  await undoAll(states.filter(({ isOld }) => !isOld));
}

/**
 * Finishes what a killed process began or, where the user has changed a file since, undoes it.
 *
 * Where neither is possible all files stay as they are: their content is the user's. Only files
 * with the mark of this tool are removed, whatever the journal says.
 */
export async function bringToOneState({ changes }: Plan): Promise<void> {
  const states = await Promise.all(changes.map(stateOf));
  if (states.every(canFinish)) {
    for (const { change, isNew } of states) if (!isNew) await make(change);
    await syncFolders(changes);
  } else if (states.every(canUndo)) {
    await undoAll(states.filter(({ isOld }) => !isOld));
  }
}

function canFinish({ change, isNew, isOld, hasFresh, isMarked }: ChangeState): boolean {
  return isNew || (isOld && (change.becomes === undefined ? isMarked : hasFresh));
}

function canUndo({ change, isNew, isOld, hasBackup, isMarked }: ChangeState): boolean {
  return isOld || (isNew && (change.was === undefined ? isMarked : hasBackup));
}

async function undoAll(states: readonly ChangeState[]): Promise<void> {
  for (const { change } of states.toReversed()) await undo(change);
  await syncFolders(states.map(({ change }) => change));
}

function make(change: PlannedChange): Promise<void> {
  return change.becomes === undefined
    ? rename(change.path, backupOf(change))
    : rename(freshOf(change), change.path);
}

function undo(change: PlannedChange): Promise<void> {
  return change.was === undefined
    ? rename(change.path, freshOf(change))
    : rename(backupOf(change), change.path);
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
    hasFresh: await holds(freshOf(change), change.becomes),
    hasBackup: await holds(backupOf(change), change.was),
    isMarked: Buffer.isBuffer(now) && isMarked(now),
  };
}

/** undefined: there is nothing; `other`: it is not a file. */
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

async function syncFolders(changes: readonly PlannedChange[]): Promise<void> {
  for (const folder of new Set(changes.map(({ path }) => dirname(path)))) await syncFolder(folder);
}
