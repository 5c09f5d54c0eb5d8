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
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { InputError } from '../model/input-error.js';

/** A file to replace or, where `text` is undefined, to take away. */
export interface Output {
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
 * finds the files as they were or as they should be. Files that would not change are not
 * touched.
 */
export async function writeOutputs(outputs: readonly Output[]): Promise<void> {
  const changes = outputs.map(throughLinks).filter(changesAnything);
  await holdingSignals(() => {
    const staged: Staged[] = [];
    const folders: string[] = [];
    const done: Staged[] = [];
    try {
      for (const output of changes) {
        about(output.path, () => staged.push(stage(output, folders)));
      }
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
      for (const folder of folders.reverse()) removeIfEmpty(folder);
      throw error;
    } finally {
      for (const { backup } of staged) if (backup !== undefined) rmSync(backup, { force: true });
    }
  });
}

/** A link stays one: what it points to is replaced. */
function throughLinks(output: Output): Output {
  return existsSync(output.path) ? { ...output, path: realpathSync(output.path) } : output;
}

function changesAnything({ path, text }: Output): boolean {
  if (!existsSync(path)) return text !== undefined;
  return text === undefined || !statSync(path).isFile() || readFileSync(path, 'utf8') !== text;
}

function stage({ path, text }: Output, folders: string[]): Staged {
  const folder = dirname(path);
  const first = mkdirSync(folder, { recursive: true });
  if (first !== undefined) folders.push(...foldersBetween(first, folder));
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

/** `outer` and all below it down to `inner`, outermost first. */
function foldersBetween(outer: string, inner: string): string[] {
  return inner === outer || inner === dirname(inner)
    ? [inner]
    : [...foldersBetween(outer, dirname(inner)), inner];
}

function beside(path: string, what: string): string {
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

function about(path: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    if (error instanceof InputError || !(error instanceof Error) || !('code' in error)) throw error;
    throw new InputError(`cannot write \`${path}\`: ${error.message}`, {
      cause: error,
      hint: 'nothing was changed',
    });
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** With a listener in place a signal cannot end the process; it does once this is over. */
async function holdingSignals(action: () => void): Promise<void> {
  let caught: NodeJS.Signals | undefined;
  const remember = (signal: NodeJS.Signals) => {
    caught = signal;
  };
  for (const signal of SIGNALS) process.on(signal, remember);
  try {
    action();
    // Node tells of signals once in every turn of its loop: let a whole one pass.
    await setImmediate();
    await setImmediate();
  } finally {
    for (const signal of SIGNALS) process.off(signal, remember);
    if (caught !== undefined) process.kill(process.pid, caught);
  }
}
