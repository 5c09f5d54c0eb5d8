import { randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf } from './error-code.js';
import { isAlive } from './is-alive.js';

const LOCK_NAME = '.xpkg-resolve.writing';

/** A lock is held for as long as a few renames take; an older one was left by a killed process. */
const STALE_AFTER_MS = 60_000;
/** The holder writes its name right after it makes the lock; an empty one is stale much sooner. */
const EMPTY_STALE_AFTER_MS = 1_000;
/** How often a stale lock is taken away before its folder counts as busy. */
const MAX_TAKEOVERS = 3;

/** Locks that this process holds. */
interface FolderLocks {
  release(): void;
}

/** Another process has the lock of a folder that is wanted. */
export interface Busy {
  readonly lock: string;
  /** Its process id and host, as it wrote them. */
  readonly holder: string;
}

/** Whether a folder has a lock, be it of a process that runs or of one that was killed. */
export function isLocked(folder: string): boolean {
  return existsSync(join(folder, LOCK_NAME));
}

/** Whether a file of that name is a lock, or a stale one that a process is taking away. */
export function isLockName(name: string): boolean {
  return name === LOCK_NAME || isSetAside(name);
}

/** Runs `action` with the locks of all folders; where one is busy, says so at once instead. */
export async function withLocks(
  folders: readonly string[],
  action: () => Promise<void>,
): Promise<Busy | undefined> {
  const locks = lockFolders(folders);
  if ('holder' in locks) return locks;
  try {
    await action();
  } finally {
    locks.release();
  }
  return undefined;
}

/**
 * Takes the locks of all folders or of none, without waiting; locks of killed processes are taken over.
 *
 * Advisory, between processes of this tool: each file is written atomically without it, and the lock
 * keeps the files of one write together. Synchronous, to keep the steps of a takeover close together.
 */
export function lockFolders(folders: readonly string[]): FolderLocks | Busy {
  const held: string[] = [];
  const release = () => {
    for (const lock of held) rmSync(lock, { force: true });
  };
  try {
    for (const folder of folders) {
      const lock = join(folder, LOCK_NAME);
      const holder = take(lock);
      if (holder !== undefined) {
        release();
        return { lock, holder };
      }
      held.push(lock);
      removeSetAside(folder);
    }
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}

/** The holder, if it is another process; undefined: the lock has been taken. */
function take(lock: string): string | undefined {
  for (let tries = 0; ; tries += 1) {
    try {
      writeFileSync(lock, `${process.pid} ${hostname()}\n`, { flag: 'wx' });
      return undefined;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const found = read(lock);
    if (found !== undefined && (tries === MAX_TAKEOVERS || !isStale(found))) return found.holder;
    if (found !== undefined) takeAway(lock, found.holder);
  }
}

interface FoundLock {
  readonly holder: string;
  readonly ageMs: number;
}

/** undefined: it has been released meanwhile. */
function read(lock: string): FoundLock | undefined {
  try {
    const holder = readFileSync(lock, 'utf8').trim();
    return { holder, ageMs: Date.now() - statSync(lock).mtimeMs };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isStale({ holder, ageMs }: FoundLock): boolean {
  if (ageMs > (holder === '' ? EMPTY_STALE_AFTER_MS : STALE_AFTER_MS)) return true;
  const [pid, host] = holder.split(' ');
  return host === hostname() && !isAlive(Number(pid));
}

/**
 * Removes a stale lock by renaming it first: another process that found it stale, too, may have
 * replaced it since. A lock with another holder is put back.
 */
function takeAway(lock: string, holder: string): void {
  const aside = `${lock}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(lock, aside);
    if (read(aside)?.holder !== holder) linkSync(aside, lock);
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
