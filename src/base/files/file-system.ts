import { type FileHandle, mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { InputError, SourceError } from '../errors.js';

/** Returns the `code` of an error, such as `ENOENT`, or its class name if it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Whether an error means that nothing has, or can have, that path. */
export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error));
}

/** Whether an error comes from a system call. False for a `SourceError`. */
export function isFileSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

/**
 * Returns the error to throw when `path` could not be written and nothing was changed.
 *
 * Explains only errors with a `code`. Others are defects of this program and stay as they are.
 */
export function writeError(path: string, error: unknown): unknown {
  if (error instanceof InputError || !(error instanceof Error) || !('code' in error)) return error;
  const { why, advice } = explain(error as FileError);
  return new InputError(`cannot write \`${path}\`: ${why}`, {
    cause: error,
    hint: `nothing was changed${advice === undefined ? '' : `; ${advice}`}`,
  });
}

type FileError = NodeJS.ErrnoException & { readonly dest?: string };

interface Reason {
  readonly why: string;
  readonly advice?: string | undefined;
}

/** Explains errors that users can fix. For others, returns the message of the operating system. */
function explain(error: FileError): Reason {
  const { code, message } = error;
  // For a symbolic link, `path` is the target and `dest` is the link.
  const failed = error.dest ?? error.path;
  const where = failed === undefined ? 'its folder' : `the folder \`${dirname(failed)}\``;
  switch (code ?? '') {
    case 'EACCES':
    case 'EPERM':
      return {
        why: `you may not write to ${where} (${code})`,
        advice: 'change the permissions of the folder, or write to another one',
      };
    case 'EROFS':
      return {
        why: `${where} is on a read-only file system (EROFS)`,
        advice: 'write to another folder',
      };
    case 'ENOSPC':
    case 'EDQUOT':
      return { why: `no space is left on the disk (${code})` };
    case undefined:
    default:
      return { why: message };
  }
}

const MAX_TRIES = 5;

/**
 * Creates a folder and its missing parents. Adds the created folders to `made`, outermost first.
 *
 * Does not use `mkdir` with `recursive`: it never returns if the parent exists and refuses new
 * folders, as below /proc.
 */
export async function makeFolder(
  folder: string,
  mode?: number,
  made: string[] = [],
): Promise<void> {
  const above = dirname(folder);
  for (let tries = 1; ; tries += 1) {
    try {
      await mkdir(folder, { mode });
      made.push(folder);
      return;
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && (await isFolder(folder))) return;
      // Try again: another process may have removed the parent meanwhile.
      if (codeOf(error) !== 'ENOENT' || above === folder || tries === MAX_TRIES) throw error;
      if (!(await isFolder(above))) await makeFolder(above, mode, made);
    }
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Returns the sorted names of the entries of a folder, or none if the folder does not exist. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Removes a file, or a folder with its content. Tries twice. Returns whether it is gone. */
export async function removeWithRetry(path: string): Promise<boolean> {
  return tryTwice(() => rm(path, { recursive: true, force: true }), ['ENOENT', 'ENOTDIR']);
}

/** Removes a folder if it is empty. Tries twice. Returns false after an unexpected error. */
export async function removeIfEmpty(folder: string): Promise<boolean> {
  return tryTwice(() => rmdir(folder), ['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR']);
}

async function tryTwice(
  remove: () => Promise<void>,
  harmless: readonly string[],
): Promise<boolean> {
  for (const _ of ['first', 'second']) {
    try {
      await remove();
      return true;
    } catch (error) {
      if (harmless.includes(codeOf(error))) return true;
    }
  }
  return false;
}

/** Syncs renames in a folder to disk. File systems that refuse this keep names safe anyway. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  if (handle === undefined) return;
  try {
    await handle.sync().catch(() => undefined);
  } finally {
    await handle.close();
  }
}

/** Writes the content of a file. Every write appends, even after a `truncate`. */
export type Fill = (file: FileHandle) => Promise<void>;

/** Creates a file, writes it and syncs it to disk. Throws if the path exists. */
export async function writeThrough(path: string, fill: Fill, mode = 0o666): Promise<void> {
  const file = await open(path, 'ax', mode);
  try {
    await fill(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Returns the error to throw when a file or folder given with `--from` cannot be opened. */
export function readError(shown: string, error: unknown): InputError | SourceError {
  switch (codeOf(error)) {
    case 'ENOENT':
      return new InputError(`${shown}: there is no such file or folder`, { cause: error });
    case 'ENOTDIR':
      return new InputError(`${shown}: not a folder`, { cause: error });
    case 'EISDIR':
      return new InputError(`${shown}: a folder, where a file is wanted`, { cause: error });
    default:
      return new SourceError('BAD_SOURCE', shown, `cannot be read: ${reason(error)}`, {
        cause: error,
      });
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
