import { createHash, randomBytes } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Fill, makeFolder, removeWithRetry, syncFolder, writeThrough } from './file-system.js';
import { isAlive } from '../process.js';

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
export function writeAtomically(
  path: string,
  bytes: Uint8Array,
  options?: AtomicOptions,
): Promise<void> {
  return fillAtomically(path, (file) => file.writeFile(bytes), options);
}

/** Like `writeAtomically`, for bytes that `fill` writes piece by piece. */
export async function fillAtomically(
  path: string,
  fill: Fill,
  { mode = PRIVATE_FILE, temporary = dirname(path) }: AtomicOptions = {},
): Promise<void> {
  const folder = dirname(path);
  for (const each of new Set([folder, temporary])) await makeFolder(each, PRIVATE_FOLDER);
  const temporaryPath = temporaryPathFor(
    `${join(temporary, basename(path))}.${runName()}`,
    UNFINISHED,
  );
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
