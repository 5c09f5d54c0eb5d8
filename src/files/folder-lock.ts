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
import { isAlive } from './is-alive.js';

const NAME = '.xpkg-resolve.writing';

/** A lock is held for as long as a few renames take; no honest holder needs this many milliseconds. */
const STALE_AFTER = 60_000;
/** Nor to write its name into it. */
const NAMELESS_AFTER = 1_000;

/** Says that nobody else who asks writes to these folders; given back by `release`. */
export interface FolderLocks {
  release(): void;
}

/** Who has the lock of a folder that is wanted. */
export interface Busy {
  readonly lock: string;
  readonly holder: string;
}

/** Whether somebody writes to a folder, or was killed while at it. */
export function isLocked(folder: string): boolean {
  return existsSync(join(folder, NAME));
}

/** Whether that is the name of a lock, or of one that somebody is taking away. */
export function isLock(name: string): boolean {
  return name === NAME || isSetAside(name);
}

/**
 * Takes the locks of all folders or of none, without waiting.
 *
 * Advisory: writes are atomic file by file without it, and it keeps the files of one write together.
 * What a killed process left behind is taken over.
 */
export function lockFolders(folders: readonly string[]): FolderLocks | Busy {
  const held: string[] = [];
  const release = () => {
    for (const lock of held) rmSync(lock, { force: true });
  };
  try {
    for (const folder of folders) {
      const lock = join(folder, NAME);
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

/** undefined: it is ours now. */
function take(lock: string): string | undefined {
  for (let tries = 0; ; tries += 1) {
    try {
      writeFileSync(lock, `${process.pid} ${hostname()}\n`, { flag: 'wx' });
      return undefined;
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    }
    const found = read(lock);
    if (found !== undefined && (tries === 3 || !isStale(found))) return found.holder;
    if (found !== undefined) takeAway(lock, found.holder);
  }
}

interface Found {
  readonly holder: string;
  readonly age: number;
}

/** undefined: it has just been given back. */
function read(lock: string): Found | undefined {
  try {
    const holder = readFileSync(lock, 'utf8').trim();
    return { holder, age: Date.now() - statSync(lock).mtimeMs };
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isStale({ holder, age }: Found): boolean {
  if (age > (holder === '' ? NAMELESS_AFTER : STALE_AFTER)) return true;
  const [pid, host] = holder.split(' ');
  return host === hostname() && !isAlive(Number(pid));
}

/** By way of another name: whoever else found it stale may have a lock of their own there by now. */
function takeAway(lock: string, holder: string): void {
  const aside = `${lock}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(lock, aside);
    if (read(aside)?.holder !== holder) linkSync(aside, lock);
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** By somebody who was killed before taking it away; whoever is still at it can do without. */
function removeSetAside(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (isSetAside(name)) rmSync(join(folder, name), { force: true });
  }
}

function isSetAside(name: string): boolean {
  const rest = name.startsWith(`${NAME}.`) ? name.slice(NAME.length + 1) : '';
  return /^[0-9a-f]{12}$/.test(rest);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
