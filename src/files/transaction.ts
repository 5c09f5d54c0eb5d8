import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { InputError } from '../model/input-error.js';
import { isLocked, lockFolders, type Busy } from './folder-lock.js';
import { holdingSignals } from './signals.js';
import { waitForLock } from './wait-for-lock.js';

/** A file to replace or, where `text` is undefined, to take away. */
export interface OutputFile {
  readonly path: string;
  readonly text: string | undefined;
}

interface Staged {
  readonly path: string;
  /** The new content, beside the file it will become; undefined: the file goes. */
  readonly fresh: string | undefined;
  /** The old content under a second name; undefined: there was none. */
  readonly backup: string | undefined;
}

/**
 * Changes all files or none.
 *
 * Everything that can fail for want of room or leave is done first, beside the files; what remains
 * is a row of renames, undone should one fail. Signals wait meanwhile: whoever presses Ctrl-C
 * finds the files as they were or as they should be. So do other processes that write there: what
 * is left is all from one of them. Files that would not change are not touched.
 */
export async function writeOutputs(outputs: readonly OutputFile[]): Promise<void> {
  await waitForLock(() => holdingSignals(() => writeUnlessBusy(outputs)));
}

function writeUnlessBusy(outputs: readonly OutputFile[]): Busy | undefined {
  const real = outputs.map(throughLinks);
  const changes = real.filter(changesAnything);
  const made: string[] = [];
  try {
    for (const { path } of changes) about(path, () => makeFolder(dirname(path), made));
    const left = real.map(({ path }) => dirname(path)).filter(isLocked);
    const folders = [...new Set([...changes.map(({ path }) => dirname(path)), ...left])];
    const locks = about(folders[0] ?? '', () => lockFolders(folders));
    if ('holder' in locks) return locks;
    try {
      for (const { path } of real) if (folders.includes(dirname(path))) removeLeftovers(path);
      // Another process may have been there before the lock was ours.
      change(changes.filter(changesAnything));
      for (const folder of [...folders, ...made.map((path) => dirname(path))]) syncFolder(folder);
    } finally {
      locks.release();
    }
  } catch (error) {
    for (const folder of made.reverse()) removeIfEmpty(folder);
    throw error;
  }
  return undefined;
}

function change(outputs: readonly OutputFile[]): void {
  const staged: Staged[] = [];
  const done: Staged[] = [];
  try {
    for (const output of outputs) about(output.path, () => staged.push(stage(output)));
    for (const each of staged) {
      about(each.path, () => {
        if (each.fresh === undefined) rmSync(each.path);
        else renameSync(each.fresh, each.path);
      });
      done.push(each);
    }
  } catch (error) {
    for (const each of done.reverse()) restore(each);
    for (const each of staged) if (each.fresh !== undefined) rmSync(each.fresh, { force: true });
    throw error;
  } finally {
    for (const { backup } of staged) if (backup !== undefined) rmSync(backup, { force: true });
  }
}

/** A link stays one: what it points to is replaced. */
function throughLinks(output: OutputFile): OutputFile {
  return existsSync(output.path) ? { ...output, path: realpathSync(output.path) } : output;
}

function changesAnything({ path, text }: OutputFile): boolean {
  if (!existsSync(path)) return text !== undefined;
  return text === undefined || !statSync(path).isFile() || readFileSync(path, 'utf8') !== text;
}

/**
 * With those above it, outermost first in `made`. Node's own `recursive` never returns where a folder
 * is there and takes none, as below /proc.
 */
function makeFolder(folder: string, made: string[]): void {
  if (isFolder(folder)) return;
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder), made);
  try {
    mkdirSync(folder);
    made.push(folder);
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function stage({ path, text }: OutputFile): Staged {
  const there = existsSync(path) ? statSync(path) : undefined;
  if (there?.isDirectory() === true) throw new InputError(`\`${path}\` is a folder`);
  const backup = there === undefined ? undefined : beside(path, 'old');
  const fresh = text === undefined ? undefined : beside(path, 'new');
  try {
    if (fresh !== undefined && text !== undefined) writeThrough(fresh, text, there?.mode);
    if (backup !== undefined) keep(path, backup);
  } catch (error) {
    if (fresh !== undefined) rmSync(fresh, { force: true });
    throw error;
  }
  return { path, fresh, backup };
}

/** Of a process that was killed: who has the lock knows that nobody is at work. */
function removeLeftovers(path: string): void {
  const [folder, name] = [dirname(path), basename(path)];
  for (const other of readdirSync(folder)) {
    const rest = other.startsWith(`.${name}.`) ? other.slice(name.length + 2) : '';
    if (/^[0-9a-f]{12}\.(?:new|old)$/.test(rest)) rmSync(join(folder, other), { force: true });
  }
}

function beside(path: string, what: 'new' | 'old'): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.${what}`);
}

function writeThrough(path: string, text: string, mode: number | undefined): void {
  const file = openSync(path, 'wx');
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (mode !== undefined) chmodSync(path, mode & 0o7777);
}

/** A second name costs nothing, where the file system has such a thing. */
function keep(path: string, backup: string): void {
  try {
    linkSync(path, backup);
  } catch {
    copyFileSync(path, backup);
  }
}

function restore({ path, backup }: Staged): void {
  if (backup === undefined) rmSync(path, { force: true });
  else renameSync(backup, path);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody else's file has come to be in it: then the folder is theirs.
  }
}

/** Makes names last; where folders cannot be synced, the file system sees to that itself. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

function about<T>(path: string, attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof InputError || !(error instanceof Error) || !('code' in error)) throw error;
    throw new InputError(`cannot write \`${path}\`: ${error.message}`, {
      cause: error,
      hint: 'nothing was changed',
    });
  }
}
