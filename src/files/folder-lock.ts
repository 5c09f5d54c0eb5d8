import { randomBytes } from 'node:crypto';
import {
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { codeOf } from './error-code.js';
import { isAlive, processStart } from './is-alive.js';
import { JOURNAL_NAME } from './journal/journal.js';

const LOCK_NAME = '.xpkg-resolve.writing';

/**
 * Whether a process of another machine lives cannot be told. A lock is held for as long as a few
 * renames take, so an older one was left by a killed process.
 */
export const FOREIGN_STALE_AFTER_MS = 60_000;
/** A file that names no process is one whose process was killed before it wrote its name. */
const UNNAMED_STALE_AFTER_MS = 1_000;
/** How often a stale lock is taken away before its folder counts as busy. */
const MAX_TAKEOVERS = 3;
/** Process id and start, host and, where the journal is in another folder, the way to that one. */
const LOCK_TEXT = /^(?<pid>\d{1,10})(?:@(?<started>\d{1,20}))? (?<host>\S+)(?: (?<home>.+))?$/;
const MAX_LOCK_BYTES = 4096;
/** How file systems say that they have no symbolic links. */
const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL'];

/** Paths of the locks that this process holds. */
const heldHere = new Set<string>();

/** Locks that this process holds. */
export interface FolderLocks {
  release(): void;
  /** Leaves them, as a killed process would: they vouch for its journal. */
  abandon(): void;
}

/** Another process has the lock of a folder that is wanted. */
export interface Busy {
  readonly lock: string;
  /** Its process id and host, as it wrote them; undefined: it wrote none. */
  readonly pid: string | undefined;
  readonly host: string | undefined;
}

/** How this process names itself in the locks that it takes. */
export function lockHolder(): string {
  const started = processStart(process.pid);
  return `${process.pid}${started === undefined ? '' : `@${started}`} ${hostname()}`;
}

export function lockPath(folder: string): string {
  return join(folder, LOCK_NAME);
}

/** The folder with the journal of the process that locked `folder`; undefined: it is `folder`. */
export function journalHome(folder: string): string | undefined {
  const home = LOCK_TEXT.exec(read(lockPath(folder))?.text ?? '')?.groups?.['home'];
  return home === undefined ? undefined : resolve(folder, home);
}

/** Whether a file of that name is a lock, or a stale one that a process is taking away. */
export function isLockName(name: string): boolean {
  return name === LOCK_NAME || isSetAside(name);
}

/** Runs `action` with the locks of all folders; where one is busy, says so at once instead. */
export async function withLocks(
  folders: readonly string[],
  action: () => Promise<Busy | undefined | void>,
): Promise<Busy | undefined> {
  const locks = lockFolders(folders);
  if ('lock' in locks) return locks;
  try {
    return (await action()) ?? undefined;
  } finally {
    locks.release();
  }
}

/**
 * Takes the locks of all folders or of none, without waiting; locks of killed processes are taken over.
 *
 * Advisory, between processes of this tool: each file is written atomically without it, and the lock
 * keeps the files of one write together. `home` is the folder with the journal of the write. A lock
 * is a symbolic link to its text, so that it is made in one step and never without its text.
 * Synchronous, to keep the steps of a takeover close together.
 */
export function lockFolders(
  folders: readonly string[],
  home: string | undefined = folders[0],
): FolderLocks | Busy {
  const held: string[] = [];
  const release = () => held.toReversed().forEach(giveBack);
  try {
    for (const folder of folders) {
      const lock = lockPath(folder);
      const found = take(lock, textOf(lockHolder(), folder, home ?? folder));
      if (found !== undefined) {
        release();
        return { lock, ...holderIn(found) };
      }
      held.push(lock);
      heldHere.add(lock);
      removeSetAside(folder);
    }
  } catch (error) {
    release();
    throw error;
  }
  return { release, abandon: () => held.forEach((lock) => heldHere.delete(lock)) };
}

/** Removes the lock that a killed process left in a folder other than that of its journal. */
export function removeLockOf(holder: string, folder: string, home: string): void {
  if (hasLockOf(holder, folder, home)) takeAway(lockPath(folder), textOf(holder, folder, home));
}

/** Whether a folder holds the lock of a process with its journal in `home`. */
export function hasLockOf(holder: string, folder: string, home: string): boolean {
  return read(lockPath(folder))?.text === textOf(holder, folder, home);
}

function textOf(holder: string, folder: string, home: string): string {
  return folder === home ? holder : `${holder} ${relative(folder, home)}`;
}

function holderIn(text: string): Omit<Busy, 'lock'> {
  const { pid, host } = LOCK_TEXT.exec(text)?.groups ?? {};
  return { pid, host };
}

/** A lock that cannot be removed is stale as soon as this process has ended. */
function giveBack(lock: string): void {
  heldHere.delete(lock);
  for (const _ of ['first', 'second']) {
    try {
      rmSync(lock, { force: true });
      return;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  }
}

/** The text of the lock, if another process has it; undefined: the lock has been taken. */
function take(lock: string, text: string): string | undefined {
  for (let tries = 0; ; tries += 1) {
    try {
      make(lock, text);
      return undefined;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const found = read(lock);
    if (found === undefined) continue;
    if (tries >= MAX_TAKEOVERS || !isStale(lock, found) || hasJournal(lock, found)) {
      return found.text;
    }
    takeAway(lock, found.text);
  }
}

function make(lock: string, text: string): void {
  try {
    symlinkSync(text, lock);
  } catch (error) {
    if (!NO_LINKS.includes(codeOf(error))) throw error;
    writeFileSync(lock, `${text}\n`, { flag: 'wx' });
  }
}

interface FoundLock {
  /** '' where it is neither a link nor a small file. */
  readonly text: string;
  /** When it was made, in milliseconds since 1970. */
  readonly madeAt: number;
}

/** undefined: it has been released meanwhile. */
function read(lock: string): FoundLock | undefined {
  try {
    const found = lstatSync(lock);
    const madeAt = found.mtimeMs;
    if (found.isSymbolicLink()) return { text: readlinkSync(lock), madeAt };
    const isText = found.isFile() && found.size <= MAX_LOCK_BYTES;
    return { text: isText ? readFileSync(lock, 'utf8').trim() : '', madeAt };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A process of this machine has its lock for as long as it lives, however long that is. */
function isStale(lock: string, { text, madeAt }: FoundLock): boolean {
  const { pid, started, host } = LOCK_TEXT.exec(text)?.groups ?? {};
  // Clocks of two machines differ, so that a lock may be from the future.
  const ageMs = Math.abs(Date.now() - madeAt);
  if (pid === undefined) return ageMs > UNNAMED_STALE_AFTER_MS;
  if (host !== hostname()) return ageMs > FOREIGN_STALE_AFTER_MS;
  // In a container, the process before this one often had the same id.
  return Number(pid) === process.pid ? !heldHere.has(lock) : !isAlive(Number(pid), started);
}

/** Whether the journal of a killed process, in another folder, has to be dealt with first. */
function hasJournal(lock: string, { text }: FoundLock): boolean {
  const home = LOCK_TEXT.exec(text)?.groups?.['home'];
  if (home === undefined) return false;
  return (
    lstatSync(resolve(lock, '..', home, JOURNAL_NAME), { throwIfNoEntry: false }) !== undefined
  );
}

/**
 * Removes a stale lock by renaming it first: another process that found it stale, too, may have
 * replaced it since. A lock with another text is put back.
 */
function takeAway(lock: string, text: string): void {
  const aside = `${lock}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(lock, aside);
    if (read(aside)?.text !== text) linkSync(aside, lock);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(codeOf(error))) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** What a process killed in `takeAway` left behind; one still in there no longer needs the file. */
function removeSetAside(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (isSetAside(name)) rmSync(join(folder, name), { force: true });
  }
}

function isSetAside(name: string): boolean {
  const rest = name.startsWith(`${LOCK_NAME}.`) ? name.slice(LOCK_NAME.length + 1) : '';
  return /^[0-9a-f]{12}$/.test(rest);
}
