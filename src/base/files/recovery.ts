import { lstatSync } from 'node:fs';
import { lstat, readdir, readFile, rename, stat, open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, isAbsolute, relative, resolve } from 'node:path';
import {
  isTemporaryOf,
  removeEndedRunFiles,
  temporaryPathFor,
  withWriteError,
  undefinedIfAbsent,
  isFileSystemError,
  removeWithRetry,
  removeIfEmpty,
  syncFolder,
} from './file-system.js';
import {
  type Holder,
  JOURNAL_NAME,
  hasLockOf,
  journalHome,
  lockPath,
  removeLockOf,
  withLock,
} from './folder-lock.js';
import { folderAndParents, isWithin } from './paths.js';
import { type Digest, sha256, isDigest } from '../digest.js';
import { InputError } from '../errors.js';
import { hasWrittenMark } from '../yaml/write-yaml.js';
import { fieldsOf, listOf, parseJson, stringOf } from '../json.js';

const MAX_JOURNAL_BYTES = 1024 * 1024;
const COMMIT_LINE = 'commit\n';
const ID = /^[0-9a-f]{12}$/;

/** One file that a transaction writes, replaces or removes. */
export interface PlannedChange {
  readonly path: string;
  /** Digest of the old content; undefined if there is no such file. */
  readonly was: Digest | undefined;
  /** Digest of the new content; undefined if the file is removed. */
  readonly becomes: Digest | undefined;
  /** Part of the names of its two temporary files. */
  readonly id: string;
}

export interface Plan {
  readonly home: string;
  /** Text of the lock in `home`; locks in other folders begin with it. */
  readonly holder: string;
  readonly changes: readonly PlannedChange[];
  /** Folders that do not exist yet, outermost first. */
  readonly folders: readonly string[];
  /** Locked folders other than `home`. */
  readonly locked: readonly string[];
}

/** Returns the path of the new content until it is renamed into place. */
export function newContentPath({ path, id }: PlannedChange): string {
  return temporaryPathFor(path, 'new', id);
}

export function backupPath({ path, id }: PlannedChange): string {
  return temporaryPathFor(path, 'old', id);
}

/**
 * Creates the journal of a transaction: a line with the plan in JSON, and later a line `commit`,
 * when all new files are on disk and the renames begin. An incomplete line counts as missing.
 */
export async function beginJournal(plan: Plan): Promise<FileHandle> {
  const journal = await open(join(plan.home, JOURNAL_NAME), 'ax');
  try {
    await journal.writeFile(`${JSON.stringify(serializePlan(plan))}\n`);
    await journal.sync();
  } catch (error) {
    await journal.close();
    throw error;
  }
  return journal;
}

export async function commitJournal(journal: FileHandle): Promise<void> {
  await journal.writeFile(COMMIT_LINE);
  await journal.sync();
}

/**
 * Reads the journal in a folder; undefined if there is none. There is no `plan` if the process was
 * killed before it was complete. Once `committed`, all new files are on disk, and some may be in
 * place.
 */
async function readJournal(home: string) {
  const path = join(home, JOURNAL_NAME);
  const stats = await undefinedIfAbsent(lstat(path));
  if (stats === undefined) return undefined;
  if (!stats.isFile() || stats.size > MAX_JOURNAL_BYTES) {
    throw new InputError(`\`${path}\` is not a file that xpkg-resolve wrote`, {
      hint: 'xpkg-resolve keeps its journal under that name: remove it, and run again',
    });
  }
  const text = await undefinedIfAbsent(readFile(path, 'utf8'));
  if (text === undefined) return undefined;
  const [line = '', ...rest] = text.split('\n');
  const plan = rest.length === 0 ? undefined : parsePlan(parseJson(line)?.value, home);
  return { plan, committed: rest.join('\n') === COMMIT_LINE };
}

/** Paths are relative to the folder of the journal, which may be mounted elsewhere at recovery. */
function serializePlan({ home, holder, changes, folders, locked }: Plan): object {
  return {
    format: 1,
    holder,
    changes: changes.map((change) => ({ ...change, path: relative(home, change.path) })),
    folders: folders.map((folder) => relative(home, folder)),
    locked: locked.map((folder) => relative(home, folder)),
  };
}

/** Parses a plan and validates it. A journal is untrusted: it may come with a repository. */
function parsePlan(value: unknown, home: string): Plan | undefined {
  const fields = fieldsOf(value);
  const holder = stringOf(fields?.get('holder'));
  const changes = listOf(fields?.get('changes'))?.map((change) => parseChange(change, home));
  const folders = parsePaths(fields?.get('folders'), home);
  const locked = parsePaths(fields?.get('locked'), home);
  if (fields?.get('format') !== 1 || holder === undefined) return undefined;
  if (changes === undefined || !changes.every((change) => change !== undefined)) return undefined;
  if (folders === undefined || locked === undefined) return undefined;
  const containsOutput = (folder: string) =>
    changes.some(({ path }) => isWithin(dirname(path), folder));
  return { home, holder, changes, folders: folders.filter(containsOutput), locked };
}

function parseChange(value: unknown, home: string): PlannedChange | undefined {
  const fields = fieldsOf(value);
  const path = parsePath(fields?.get('path'), home);
  const id = stringOf(fields?.get('id'));
  if (path === undefined || id === undefined || !ID.test(id)) return undefined;
  const [was, becomes] = ['was', 'becomes'].map((name) => stringOf(fields?.get(name)));
  if (was !== undefined && !isDigest(was)) return undefined;
  if (becomes !== undefined && !isDigest(becomes)) return undefined;
  return { path, id, was, becomes };
}

function parsePaths(value: unknown, home: string): readonly string[] | undefined {
  const paths = listOf(value)?.map((path) => parsePath(path, home));
  return paths?.every((path) => path !== undefined) === true ? paths : undefined;
}

function parsePath(value: unknown, home: string): string | undefined {
  const text = stringOf(value);
  if (text === undefined || text === '' || isAbsolute(text) || text.includes('\0'))
    return undefined;
  return resolve(home, text);
}

/**
 * Finishes or undoes the transactions of killed processes that involve these files, and removes
 * their temporary files. Returns the lock of a process that is at work there.
 *
 * A journal is in the folder of a file or, if a transaction had to create folders, above it.
 */
export async function recoverTransactions(paths: readonly string[]): Promise<Holder | undefined> {
  const folders = new Set(await Promise.all(paths.map((path) => existingFolder(dirname(path)))));
  for (const folder of folders) {
    await removeEndedRunFiles(folder);
    const outputs = paths.filter((path) => dirname(path) === folder);
    if (hasLockOrJournal(folder, () => true)) {
      const busy = await recoverFolder(folder, outputs);
      if (busy !== undefined) return busy;
    }
    for (const parent of folderAndParents(dirname(folder))) {
      // Folders above the outputs may be writable for other users, such as /tmp.
      if (hasLockOrJournal(parent, isOwnUser)) await recoverFolder(parent, []);
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
export async function recoverWorkingFolder(folder: string): Promise<void> {
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
  const journal = await readJournal(home);
  if (journal === undefined) return;
  const { plan, committed } = journal;
  if (plan !== undefined && isTrusted(plan)) {
    if (committed) await rollForwardOrBack(plan);
    await removeTemporaryFiles(plan);
    for (const folder of plan.locked) removeLockOf(plan.holder, folder, home);
    for (const folder of plan.folders.toReversed()) await removeIfEmpty(folder);
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

/** Syncs the folders of changed files, and other folders, to disk. */
export async function syncFolders(
  changes: readonly PlannedChange[],
  others: readonly string[] = [],
): Promise<void> {
  const folders = new Set([...others, ...changes.map(({ path }) => dirname(path))]);
  for (const folder of folders) await syncFolder(folder);
}

/** Returns the folder, or its nearest parent that exists. */
export async function existingFolder(folder: string): Promise<string> {
  const stats = await undefinedIfAbsent(stat(folder));
  const parent = dirname(folder);
  return stats !== undefined || parent === folder ? folder : existingFolder(parent);
}

async function recoverFolder(
  folder: string,
  outputs: readonly string[],
): Promise<Holder | undefined> {
  const home = journalHome(folder);
  if (home !== undefined && home !== folder && hasLockOrJournal(home, () => true)) {
    const busy = await withLock(home, () => recoverJournal(home));
    if (busy !== undefined) return busy;
  }
  return withLock(folder, async () => {
    await recoverJournal(folder);
    // Older versions left temporary files of outputs that no journal names.
    const names = outputs.map((path) => basename(path));
    for (const name of names.length === 0 ? [] : await readdir(folder)) {
      const isLeft = names.some((output) => isTemporaryOf(name, output, ['new', 'old']));
      if (isLeft) await removeWithRetry(join(folder, name));
    }
  });
}

/** Whether a folder has a readable lock or journal of a trusted user. Called often, so synchronous. */
function hasLockOrJournal(folder: string, isTrustedUser: (uid: number) => boolean): boolean {
  return [lockPath(folder), join(folder, JOURNAL_NAME)].some((path) => {
    try {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats !== undefined && isTrustedUser(stats.uid);
    } catch (error) {
      if (!isFileSystemError(error)) throw error;
      return false;
    }
  });
}

type FileContent = Buffer | 'other' | undefined;

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
    await withWriteError(change.path, () => makeChange(change));
  }
  await syncFolders(changes);
}

export async function undoChanges({ changes }: Plan): Promise<void> {
  await undoAll(await Promise.all(changes.map(stateOf)));
}

/**
 * Finishes an interrupted transaction or, if the user has changed a file since, undoes it. If
 * neither is possible, all files stay as they are: their content belongs to the user. Removes only
 * files with the mark of this tool, whatever the journal states.
 */
async function rollForwardOrBack({ changes }: Plan): Promise<void> {
  const states = await Promise.all(changes.map(stateOf));
  if (states.every(canFinish)) {
    for (const { change, isNew } of states) if (!isNew) await makeChange(change);
    await syncFolders(changes);
  } else if (states.every(canUndo)) {
    await undoAll(states);
  }
}

function canFinish({ change, isNew, isOld, hasNewContent, isMarked }: ChangeState): boolean {
  return isNew || (isOld && (change.becomes === undefined ? isMarked : hasNewContent));
}

function canUndo({ change, isNew, isOld, hasBackup, isMarked }: ChangeState): boolean {
  return isOld || (isNew && (change.was === undefined ? isMarked : hasBackup));
}

async function undoAll(states: readonly ChangeState[]): Promise<void> {
  const changed = states.filter(({ isOld }) => !isOld).map(({ change }) => change);
  for (const change of changed.toReversed()) await undoChange(change);
  await syncFolders(changed);
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
  const current = await contentOf(change.path);
  const newContent = await contentOf(newContentPath(change));
  const backup = await contentOf(backupPath(change));
  return {
    change,
    isOld: hasDigest(current, change.was),
    isNew: hasDigest(current, change.becomes),
    hasNewContent: newContent !== undefined && hasDigest(newContent, change.becomes),
    hasBackup: backup !== undefined && hasDigest(backup, change.was),
    isMarked: Buffer.isBuffer(current) && hasWrittenMark(current),
  };
}

/** Returns undefined if nothing exists at the path, and `other` for anything but a file. */
async function contentOf(path: string): Promise<FileContent> {
  const stats = await undefinedIfAbsent(lstat(path));
  if (stats?.isFile() === false) return 'other';
  return stats && undefinedIfAbsent(readFile(path));
}

function hasDigest(content: FileContent, digest: Digest | undefined): boolean {
  return Buffer.isBuffer(content) ? sha256(content) === digest : content === digest;
}
