import { constants, type Stats } from 'node:fs';
import { access, copyFile, link, lstat, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InputError } from '../model/input-error.js';
import { sha256, type Digest } from '../text/digest.js';
import { isMarked } from '../text/written-mark.js';
import { cannotWrite } from './cannot-write.js';
import { codeOf, isAbsent } from './error-code.js';
import {
  lockFolders,
  lockHolder,
  lockPath,
  withLocks,
  type Busy,
  type FolderLocks,
} from './folder-lock.js';
import { backupOf, freshOf, JOURNAL_NAME, JournalWriter, type Plan } from './journal/journal.js';
import { makeChanges, undoChanges } from './journal/one-state.js';
import { removeFirmly, removeIfEmpty } from './journal/remove-firmly.js';
import { clearAway, existingFolder, outputFolders, recoverIn, settle } from './journal/settle.js';
import { outputPath } from './output-path.js';
import { syncFolder } from './sync-folder.js';
import { temporaryId } from './temporary-name.js';
import { waitForLock } from './wait-for-lock.js';
import { writeThrough } from './write-through.js';

/** A file to write or, where `content` is undefined, to remove. */
export interface FileChange {
  readonly path: string;
  readonly content: string | Uint8Array | undefined;
  /** A file that is there and does not begin with the mark of this tool is the user's, and stays. */
  readonly ownOnly?: boolean | undefined;
}

/** Where a transaction is made. */
export interface TransactionPlace {
  /** The working folder; links must not lead out of it. */
  readonly project?: string | undefined;
  /** A file that other commands read first: the journal is kept beside it. */
  readonly beside?: string | undefined;
}

/**
 * Changes all files or none, through SIGKILL and loss of power.
 *
 * With the folders locked, a journal says what will be made; then everything that can fail for lack
 * of space or permission happens, beside the files; then the journal says so, and what remains are
 * renames. Should one fail, all are undone. Should the process be killed, `settle` finishes or
 * undoes its work in the next one. Signals wait for the end of it. Files that would not change are
 * not touched.
 */
export async function writeTransaction(
  changes: readonly FileChange[],
  place: TransactionPlace = {},
): Promise<void> {
  const make = () => waitForLock(() => attempt(changes, place));
  const before = last?.process === process.pid ? last.done : undefined;
  // Where none is under way it begins at once: a signal that comes next is held until it is made.
  const turn = before === undefined ? make() : before.then(make);
  const own = { process: process.pid, done: turn.catch(() => {}) };
  last = own;
  try {
    await turn;
  } finally {
    if (last === own) last = undefined;
  }
}

/**
 * The last one under way. Within a process one is made after the other: locks are for other
 * processes, and waiting for one takes longer.
 */
let last: { readonly process: number; readonly done: Promise<void> } | undefined;

async function attempt(
  given: readonly FileChange[],
  { project, beside }: TransactionPlace,
): Promise<Busy | undefined> {
  const changes: FileChange[] = [];
  for (const change of given) {
    const path = await naming(change.path, () => outputPath(change.path, project));
    changes.push({ ...change, path });
  }
  const paths = changes.map(({ path }) => path);
  const busy = await settle(beside === undefined ? paths : [beside, ...paths]);
  if (busy !== undefined) return busy;
  const pending = await effective(changes);
  const [first] = pending;
  if (first === undefined) return undefined;
  return naming(first.path, async () => {
    const candidates = beside === undefined ? [first.path] : [beside, first.path];
    const home = await firstWritable(candidates);
    return withLocks([home], async () => {
      await recoverIn(home);
      return change(pending, home, async () => {
        const still = await effective(changes);
        return still.length === pending.length && still.every((one) => pending.includes(one));
      });
    });
  });
}

/** The folder of the first path in whose folder files can be made; of the last, where there is none. */
async function firstWritable(paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    const folder = await existingFolder(dirname(path));
    const refused = await access(folder, constants.W_OK).catch(codeOf);
    if (refused === undefined) return folder;
  }
  return existingFolder(dirname(paths.at(-1)!));
}

/**
 * Makes changes, with the folder of the journal locked; undoes everything where one fails.
 *
 * `isAll` says, once all locks are taken, whether these are still the files that differ: one that
 * was left out because it had its content may have got another meanwhile.
 */
async function change(
  changes: readonly FileChange[],
  home: string,
  isAll: () => Promise<boolean>,
): Promise<Busy | undefined> {
  const plan = await planOf(changes, home);
  let journal: JournalWriter | undefined;
  let locks: FolderLocks | Busy | undefined;
  let failure: Failure | undefined;
  try {
    journal = await JournalWriter.begin(plan);
    await syncFolder(home);
    for (const folder of plan.folders) await naming(folder, () => makeOne(folder));
    locks = lockFolders(plan.locked, home);
    if ('lock' in locks) return locks;
    // Looked at again: another process may have written before the locks were taken.
    if (!(await isCurrent(plan)) || !(await isAll())) {
      return { lock: lockPath(home), pid: undefined, host: undefined };
    }
    await stage(changes, plan);
    await journal.commit();
    await makeChanges(plan);
  } catch (error) {
    failure = await undoAfter(plan, error);
    throw failure.error;
  } finally {
    await journal?.close();
    const isClear = failure?.undone !== false && (await clearAway(plan));
    if (locks !== undefined && 'release' in locks) {
      if (isClear) locks.release();
      else locks.abandon();
    }
    for (const folder of plan.folders.toReversed()) await removeIfEmpty(folder);
    // A journal that outlives its process is what the next one clears away the rest by.
    if (isClear) await removeFirmly(join(home, JOURNAL_NAME));
  }
  return undefined;
}

/** What went wrong; `undone`: everything is as it was. */
interface Failure {
  readonly error: unknown;
  readonly undone: boolean;
}

async function undoAfter(plan: Plan, error: unknown): Promise<Failure> {
  try {
    await undoChanges(plan);
    return { error, undone: true };
  } catch {
    const what = error instanceof Error ? error.message : String(error);
    const hint = `not all was put back: the next run finishes it, by \`${JOURNAL_NAME}\` in \`${plan.home}\``;
    return { error: new InputError(what, { cause: error, hint }), undone: false };
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
  return {
    home,
    holder: lockHolder(),
    changes: planned,
    folders: [...folders],
    locked: [...locked],
  };
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

/** Folders to make before a folder exists, outermost first. */
async function missingFolders(folder: string): Promise<readonly string[]> {
  if ((await existingFolder(folder)) === folder) return [];
  return [...(await missingFolders(dirname(folder))), folder];
}

async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Writes all new files, and second names of old ones, to the disk. */
async function stage(changes: readonly FileChange[], plan: Plan): Promise<void> {
  for (const [index, { path, content }] of changes.entries()) {
    const planned = plan.changes[index]!;
    await naming(path, async () => {
      if (content === undefined) return;
      const before = await statIfAny(path);
      await writeThrough(freshOf(planned), async (file) => {
        if (before !== undefined) await file.chmod(before.mode & 0o7777);
        await file.writeFile(content);
      });
      if (before !== undefined) await keep(path, backupOf(planned));
    });
  }
  const made = plan.folders.map((folder) => dirname(folder));
  for (const folder of new Set([...made, ...outputFolders(plan)])) await syncFolder(folder);
}

/** Gives a file a second name, or makes a copy where the file system has no links. */
async function keep(path: string, backup: string): Promise<void> {
  try {
    await link(path, backup);
  } catch {
    await copyFile(path, backup);
  }
}

/** The changes after which a file differs from what it is. */
async function effective(changes: readonly FileChange[]): Promise<readonly FileChange[]> {
  const found: FileChange[] = [];
  for (const each of changes) {
    if (await naming(each.path, () => isNeeded(each))) found.push(each);
  }
  return found;
}

async function isNeeded({ path, content, ownOnly = false }: FileChange): Promise<boolean> {
  const before = await contentOf(path);
  if (before === undefined || content === undefined) {
    return before !== content && !(ownOnly && before !== undefined && !isMarked(before));
  }
  if (before.equals(Buffer.from(content))) return false;
  if (!ownOnly || isMarked(before)) return true;
  throw new InputError(`\`${path}\` was not written by xpkg-resolve, and is not replaced`, {
    hint: 'name another folder with `--out`, or move that file away',
  });
}

/** undefined: there is no such file. What is no file is refused: to read a device may never end. */
async function contentOf(path: string): Promise<Buffer | undefined> {
  const found = await statIfAny(path);
  if (found === undefined || found.isFile()) return found && readFile(path);
  throw new InputError(`\`${path}\` is ${found.isDirectory() ? 'a folder' : 'not a file'}`, {
    hint: 'a file is to be written there: remove it, or name another place',
  });
}

async function statIfAny(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Says which file could not be written, should `action` fail. */
async function naming<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw cannotWrite(path, error);
  }
}
