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
import { setTimeout } from 'node:timers/promises';
import { codeOf } from './file-system.js';
import { InputError } from '../errors.js';
import { delayingSignals, isAlive, processStart } from '../process.js';

const LOCK_NAME = '.xpkg-resolve.writing';
export const JOURNAL_NAME = '.xpkg-resolve.journal';

/** Age at which a lock of another machine is stale. Locks are held only for a few renames. */
const FOREIGN_STALE_AFTER_MS = 60_000;
/** Age at which a lock without a process id is stale: its process was killed early. */
const UNNAMED_STALE_AFTER_MS = 1_000;
/** Number of stale locks that are removed before a folder counts as busy. */
const MAX_TAKEOVERS = 3;
/** The text of a lock: process id, start time, host and, if the journal is elsewhere, its path. */
const LOCK_TEXT = /^(?<pid>\d{1,10})(?:@(?<started>\d{1,20}))? (?<host>\S+)(?: (?<home>.+))?$/;
const MAX_LOCK_BYTES = 4096;
/** Error codes of file systems without symbolic links. */
const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL'];

const ownLocks = new Set<string>();

/** Locks that this process holds. */
export interface FolderLocks {
  release(): void;
  /** Leaves the lock files in place for recovery, which trusts a journal only with its locks. */
  keepFiles(): void;
}

/** A folder is locked by another process. */
export interface Holder {
  readonly lock: string;
  /** Process id and host from the lock; undefined if it has none. */
  readonly pid: string | undefined;
  readonly host: string | undefined;
}

/** Returns the text that identifies this process in its locks. */
export function lockHolder(): string {
  const started = processStart(process.pid);
  return `${process.pid}${started === undefined ? '' : `@${started}`} ${hostname()}`;
}

export function lockPath(folder: string): string {
  return join(folder, LOCK_NAME);
}

/** Returns the folder with the journal of a lock, or undefined if it is `folder` itself. */
export function journalHome(folder: string): string | undefined {
  const { home } = parseLock(readLock(lockPath(folder))?.text ?? '');
  return home === undefined ? undefined : resolve(folder, home);
}

/** Whether a name is that of a lock, or of a stale lock that is being removed. */
export function isLockName(name: string): boolean {
  return name === LOCK_NAME || isRenamedLock(name);
}

/** Locks a folder and runs `action`. If it is busy, returns at once without running it. */
export async function withLock(
  folder: string,
  action: () => Promise<Holder | undefined | void>,
): Promise<Holder | undefined> {
  const locks = lockFolders([folder]);
  if ('lock' in locks) return locks;
  try {
    return (await action()) ?? undefined;
  } finally {
    locks.release();
  }
}

/**
 * Locks all folders or none, without waiting. Takes over the locks of killed processes.
 *
 * Locks are advisory, between processes of this tool. They keep the files of one transaction
 * together; each file is written atomically without them. `home` is the folder with the journal of
 * the transaction. A lock is a symbolic link whose target is the text of the lock, so that both are
 * created in one step. The function is synchronous, to keep the steps of a takeover close together.
 */
export function lockFolders(
  folders: readonly string[],
  home: string | undefined = folders[0],
): FolderLocks | Holder {
  const lockFiles: string[] = [];
  const release = () => lockFiles.toReversed().forEach(releaseLock);
  try {
    for (const folder of folders) {
      const lock = lockPath(folder);
      const otherLock = takeLock(lock, lockText(lockHolder(), folder, home ?? folder));
      if (otherLock !== undefined) {
        release();
        const { pid, host } = parseLock(otherLock);
        return { lock, pid, host };
      }
      lockFiles.push(lock);
      ownLocks.add(lock);
      // Processes killed in `removeStaleLock` left locks under another name.
      for (const name of readdirSync(folder).filter(isRenamedLock)) {
        rmSync(join(folder, name), { force: true });
      }
    }
  } catch (error) {
    release();
    throw error;
  }
  return { release, keepFiles: () => lockFiles.forEach((lock) => ownLocks.delete(lock)) };
}

/** Removes the lock of a killed process in a folder, if its journal is in `home`. */
export function removeLockOf(holder: string, folder: string, home: string): void {
  if (!hasLockOf(holder, folder, home)) return;
  removeStaleLock(lockPath(folder), lockText(holder, folder, home));
}

/** Whether a folder is locked by a process with its journal in `home`. */
export function hasLockOf(holder: string, folder: string, home: string): boolean {
  return readLock(lockPath(folder))?.text === lockText(holder, folder, home);
}

function lockText(holder: string, folder: string, home: string): string {
  return folder === home ? holder : `${holder} ${relative(folder, home)}`;
}

function parseLock(text: string): Partial<Record<'pid' | 'started' | 'host' | 'home', string>> {
  return LOCK_TEXT.exec(text)?.groups ?? {};
}

/** Removes a lock. Ignores failures: the lock becomes stale when this process ends. */
function releaseLock(lock: string): void {
  ownLocks.delete(lock);
  for (const _ of ['first', 'second']) {
    try {
      rmSync(lock, { force: true });
      return;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  }
}

/** Takes a lock. Returns the text of the existing lock if another process holds it. */
function takeLock(lock: string, text: string): string | undefined {
  for (let tries = 0; ; tries += 1) {
    try {
      createLock(lock, text);
      return undefined;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const existing = readLock(lock);
    if (existing === undefined) continue;
    if (tries >= MAX_TAKEOVERS || !isStale(lock, existing) || hasJournal(lock, existing)) {
      return existing.text;
    }
    removeStaleLock(lock, existing.text);
  }
}

function createLock(lock: string, text: string): void {
  try {
    symlinkSync(text, lock);
  } catch (error) {
    if (!NO_LINKS.includes(codeOf(error))) throw error;
    writeFileSync(lock, `${text}\n`, { flag: 'wx' });
  }
}

interface FoundLock {
  /** Empty if the lock is neither a link nor a small file. */
  readonly text: string;
  readonly createdAt: number;
}

/** Returns undefined if the lock was released meanwhile. */
function readLock(lock: string): FoundLock | undefined {
  try {
    const stats = lstatSync(lock);
    const createdAt = stats.mtimeMs;
    if (stats.isSymbolicLink()) return { text: readlinkSync(lock), createdAt };
    const isText = stats.isFile() && stats.size <= MAX_LOCK_BYTES;
    return { text: isText ? readFileSync(lock, 'utf8').trim() : '', createdAt };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether the owner of a lock has ended. A living owner on this machine has no time limit. */
function isStale(lock: string, { text, createdAt }: FoundLock): boolean {
  const { pid, started, host } = parseLock(text);
  // Clocks of two machines differ: the lock may be from the future.
  const ageMs = Math.abs(Date.now() - createdAt);
  if (pid === undefined) return ageMs > UNNAMED_STALE_AFTER_MS;
  if (host !== hostname()) return ageMs > FOREIGN_STALE_AFTER_MS;
  // In a container, the process before this one often had the same id.
  return Number(pid) === process.pid ? !ownLocks.has(lock) : !isAlive(Number(pid), started);
}

/** Whether a killed process left a journal in another folder, which must be recovered first. */
function hasJournal(lock: string, { text }: FoundLock): boolean {
  const { home } = parseLock(text);
  const journal = resolve(lock, '..', home ?? '', JOURNAL_NAME);
  return home !== undefined && lstatSync(journal, { throwIfNoEntry: false }) !== undefined;
}

/** Removes a stale lock by renaming it, and puts it back if it was replaced meanwhile. */
function removeStaleLock(lock: string, text: string): void {
  const renamedLock = `${lock}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(lock, renamedLock);
    if (readLock(renamedLock)?.text !== text) linkSync(renamedLock, lock);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(codeOf(error))) throw error;
  } finally {
    rmSync(renamedLock, { force: true });
  }
}

function isRenamedLock(name: string): boolean {
  const rest = name.startsWith(`${LOCK_NAME}.`) ? name.slice(LOCK_NAME.length + 1) : '';
  return /^[0-9a-f]{12}$/.test(rest);
}

const LOCK_WAIT_MS = 10_000;
const LOCK_POLL_MS = 25;

/**
 * Repeats `attempt` until no folder is busy. Throws `InputError` after `LOCK_WAIT_MS`. Signals are
 * not delayed between attempts, so that Ctrl-C ends the wait.
 */
export async function waitForLock(
  attempt: () => Promise<Holder | undefined>,
  pause: (ms: number) => Promise<unknown> = setTimeout,
): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOCK_POLL_MS) {
    const busy = await delayingSignals(attempt);
    if (busy === undefined) return;
    if (waitedMs >= LOCK_WAIT_MS) throw busyError(busy);
    await pause(LOCK_POLL_MS);
  }
}

function busyError({ lock, pid, host }: Holder): InputError {
  const who = pid === undefined ? '' : ` (${pid} on ${host})`;
  const condition =
    host === hostname()
      ? `if \`ps -p ${pid}\` shows no xpkg-resolve, remove that file`
      : `if no xpkg-resolve runs there any more, remove that file; a lock of another machine is taken over after ${FOREIGN_STALE_AFTER_MS / 1000} seconds`;
  return new InputError(`another process${who} is writing beside \`${lock}\``, {
    hint: `nothing was changed; wait for it, or, ${condition}`,
  });
}
