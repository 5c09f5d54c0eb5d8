import { type FileHandle, mkdir, open, readdir, rm, rmdir, stat, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { InputError, messageOf, SourceError } from '../errors.js';
import { isAlive } from '../process.js';

/** Returns the `code` of an error, such as `ENOENT`, or its class name if it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Whether an error means that no file exists, or can exist, at that path. */
export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error));
}

/** Returns the result, or undefined if no file exists at the path. Throws other errors. */
export async function undefinedIfAbsent<T>(result: Promise<T>): Promise<T | undefined> {
  return result.catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
}

/** Whether an error comes from a system call. False for a `SourceError`. */
export function isFileSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

/**
 * Returns the error to throw when `path` could not be written and nothing was changed. Errors
 * without a `code` are defects of this program and stay as they are.
 */
export function writeError(path: string, error: unknown): unknown {
  if (error instanceof InputError || !(error instanceof Error) || !('code' in error)) return error;
  const { why, advice } = explain(error as FileError);
  return new InputError(`cannot write \`${path}\`: ${why}`, {
    cause: error,
    hint: `nothing was changed${advice === undefined ? '' : `; ${advice}`}`,
  });
}

/** Runs `action`. An error then names the file that could not be written. */
export async function withWriteError<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw writeError(path, error);
  }
}

type FileError = NodeJS.ErrnoException & { readonly dest?: string };

/** Explains errors that users can fix. For others, returns the message of the operating system. */
function explain({ code = '', message, path, dest }: FileError): { why: string; advice?: string } {
  // For a symbolic link, `path` is the target and `dest` is the link.
  const failed = dest ?? path;
  const where = failed === undefined ? 'its folder' : `the folder \`${dirname(failed)}\``;
  if (code === 'EACCES' || code === 'EPERM') {
    return {
      why: `you may not write to ${where} (${code})`,
      advice: 'change the permissions of the folder, or write to another one',
    };
  }
  if (code === 'EROFS') {
    const why = `${where} is on a read-only file system (EROFS)`;
    return { why, advice: 'write to another folder' };
  }
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return { why: `no space is left on the disk (${code})` };
  return { why: message };
}

const MAX_TRIES = 5;

/**
 * Creates a folder and its missing parents. `mkdir` with `recursive` never returns if the parent
 * exists and refuses new folders, as below /proc.
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  const parent = dirname(folder);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await mkdir(folder, { mode });
      return;
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && (await isFolder(folder))) return;
      // Try again: another process may have removed the parent meanwhile.
      if (codeOf(error) !== 'ENOENT' || parent === folder || attempt === MAX_TRIES) throw error;
      if (!(await isFolder(parent))) await makeFolder(parent, mode);
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

/** Syncs renames in a folder to disk. Ignores errors: other file systems do it by themselves. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
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
  const explanation = READ_MISTAKES.get(codeOf(error));
  if (explanation !== undefined)
    return new InputError(`${shown}: ${explanation}`, { cause: error });
  const problem = `cannot be read: ${messageOf(error)}`;
  return new SourceError('BAD_SOURCE', shown, problem, { cause: error });
}

const READ_MISTAKES: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['ENOTDIR', 'not a folder'],
  ['EISDIR', 'a folder, where a file is wanted'],
]);

const UNFINISHED = 'tmp';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

interface AtomicOptions {
  /** Mode before the umask; by default for the owner only. */
  readonly mode?: number | undefined;
  /** Folder of the temporary file, on the same disk; by default the folder of the file. */
  readonly temporary?: string | undefined;
}

/** Writes a file completely or not at all, even with concurrent writers or a power loss. */
export async function fillAtomically(
  path: string,
  fill: Fill,
  { mode = PRIVATE_FILE, temporary = dirname(path) }: AtomicOptions = {},
): Promise<void> {
  const folder = dirname(path);
  for (const each of new Set([folder, temporary])) await makeFolder(each, PRIVATE_FOLDER);
  const target = `${join(temporary, basename(path))}.${runName()}`;
  const temporaryPath = temporaryPathFor(target, UNFINISHED);
  try {
    await writeThrough(temporaryPath, fill, mode);
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Whether a name belongs to an atomic write that is in progress or was interrupted. */
export function isUnfinished(name: string): boolean {
  return name.startsWith('.') && name.endsWith(`.${UNFINISHED}`);
}

export function temporaryId(): string {
  return randomBytes(6).toString('hex');
}

/** Returns a hidden path in the same folder, unused by default: `.NAME.0123456789ab.ENDING`. */
export function temporaryPathFor(path: string, ending: string, id = temporaryId()): string {
  return join(dirname(path), `.${basename(path)}.${id}.${ending}`);
}

/** Whether `temporaryPathFor` gives this name for `original` and one of the endings. */
export function isTemporaryOf(name: string, original: string, endings: readonly string[]): boolean {
  if (!name.startsWith(`.${original}.`)) return false;
  const [unique = '', ...ending] = name.slice(original.length + 2).split('.');
  return /^[0-9a-f]{12}$/.test(unique) && endings.includes(ending.join('.'));
}

/** Pattern of a run name: eight hex digits for the host, a dash, the process id. */
export const RUN_NAME = '[0-9a-f]{8}-[0-9]{1,10}';

/** Returns a name for a process. Hashes the host, whose name may not be a valid file name. */
export function runName(pid: number = process.pid, host: string = hostname()): string {
  return `${createHash('sha256').update(host).digest('hex').slice(0, 8)}-${pid}`;
}

/** Whether a process of this machine has ended. False for processes of other machines. */
export function hasRunEnded(name: string): boolean {
  const pid = Number(name.split('-')[1]);
  return name === runName(pid) && !isAlive(pid);
}

/** `.NAME.RUN.0123456789ab.new`. */
const TEMPORARY_OF_RUN = new RegExp(
  `^\\..+\\.(${RUN_NAME})\\.[0-9a-f]{12}\\.(?:new|tmp|gone)(?:\\.old)?$`,
);

/** Removes the temporary files and folders of ended processes. Ignores failures. */
export async function removeEndedRunFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const run = TEMPORARY_OF_RUN.exec(name)?.[1];
    if (run !== undefined && hasRunEnded(run)) await removeWithRetry(join(folder, name));
  }
}
