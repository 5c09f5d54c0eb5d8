import { AsyncLocalStorage } from 'node:async_hooks';
import type * as fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type * as promises from 'node:fs/promises';
import { join } from 'node:path';

/** A failure of a run at one of its changes to the file system. */
export interface Accident {
  /** The number of the change, from 1, before which the failure happens. */
  readonly at: number;
  /** `killed`: the run changes nothing from then on; an error code: the change fails with it. */
  readonly how: 'killed' | 'ENOSPC' | 'EIO' | 'EROFS';
  /** Whether all later changes fail, too. */
  readonly lasting?: boolean;
}

interface Run {
  readonly accident: Accident;
  die: (end: 'killed') => void;
  changes: number;
  last: string;
  /** Files opened by the run; undefined after it was killed. */
  files: FileHandle[] | undefined;
}

const current = new AsyncLocalStorage<Run>();
const FIRST_PID = 5_000_000; // more than Linux gives out
let runs = 0;

export interface Ended<T> {
  readonly end: T | 'killed';
  /** Whether the run reached the failure. */
  readonly happened: boolean;
  /** The last change before the failure: `rename /x/y`. */
  readonly last: string;
}

/**
 * Runs `action` as a process with its own id and the given failure. After a kill, file system calls
 * are neither executed nor answered.
 */
export async function withAccident<T>(
  accident: Accident,
  action: () => Promise<T>,
): Promise<Ended<T>> {
  Object.defineProperty(process, 'pid', { value: FIRST_PID + (runs += 1) });
  const run: Run = { accident, die: () => {}, changes: 0, last: '', files: [] };
  const death = new Promise<'killed'>((resolve) => {
    run.die = resolve;
  });
  const end = await Promise.race([current.run(run, action), death]);
  // The system closes the files that a killed process has open.
  if (end === 'killed') {
    const files = run.files ?? [];
    run.files = undefined;
    await Promise.all(files.map((file) => file.close()));
  }
  return { end, happened: run.changes >= accident.at, last: run.last };
}

/**
 * Returns whether a change may continue; `never`: the process was killed. Throws if the change
 * fails.
 */
function meet(what: string, path: unknown): 'go' | 'never' {
  const run = current.getStore();
  if (run === undefined) return 'go';
  const { at, how, lasting = false } = run.accident;
  run.changes += 1;
  if (run.changes < at) return 'go';
  if (run.changes === at) run.last = `${what} ${String(path)}`;
  if (how === 'killed') {
    run.die('killed');
    return 'never';
  }
  if (run.changes > at && !lasting) return 'go';
  const text = `${how}: made up, ${what} '${String(path)}'`;
  throw Object.assign(new Error(text), { code: how, syscall: what });
}

/** Wraps a changing function of `node:fs/promises` so that it can fail. */
function changing<A extends readonly unknown[], R>(
  what: string,
  pathIn: (args: A) => unknown,
  real: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) =>
    meet(what, pathIn(args)) === 'go' ? real(...args) : new Promise<never>(() => {});
}

function changingSync<A extends readonly unknown[], R>(
  what: string,
  pathIn: (args: A) => unknown,
  real: (...args: A) => R,
): (...args: A) => R {
  return (...args) => {
    if (meet(what, pathIn(args)) === 'go') return real(...args);
    throw new Error('killed');
  };
}

const first = ([path]: readonly unknown[]) => path;
const second = ([, path]: readonly unknown[]) => path;

/** Wraps the changing functions of `node:fs/promises`. */
export function changingPromises(real: typeof promises): typeof promises {
  const unlink = changing('unlink', first, real.unlink);
  const rmdir = changing('rmdir', first, real.rmdir);
  const removed = async (path: string, recursive: boolean): Promise<void> => {
    const found = await real.lstat(path);
    if (!found.isDirectory()) return unlink(path);
    if (!recursive) throw Object.assign(new Error(`EISDIR ${path}`), { code: 'EISDIR' });
    for (const name of await real.readdir(path)) await removed(join(path, name), true);
    await rmdir(path);
  };
  return {
    ...real,
    mkdir: changing('mkdir', first, real.mkdir as (path: string) => Promise<undefined>) as never,
    rename: changing('rename', second, real.rename),
    link: changing('link', second, real.link),
    copyFile: changing('copy', second, real.copyFile),
    symlink: changing('symlink', second, real.symlink),
    unlink,
    rmdir,
    rm: async (path, options) => {
      try {
        await removed(String(path), options?.recursive === true);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ENOENT' || options?.force !== true) throw error;
      }
    },
    open: async (path, flags, mode) => {
      const makes = flags !== 'r' && flags !== undefined;
      if (makes && meet('open', path) === 'never') return new Promise(() => {});
      const handle = await real.open(path, flags, mode);
      const run = current.getStore();
      if (run !== undefined && run.files === undefined) {
        await handle.close();
        return new Promise(() => {});
      }
      run?.files?.push(handle);
      if (makes) return changingHandle(handle, String(path));
      if (current.getStore() !== undefined) handle.sync = skipped;
      return handle;
    },
  };
}

function changingHandle(handle: FileHandle, path: string): FileHandle {
  const writeFile = handle.writeFile.bind(handle);
  handle.writeFile = async (bytes) => {
    const torn = () => writeFile(Buffer.from(bytes as Uint8Array).subarray(0, -1));
    let met: 'go' | 'never';
    try {
      met = meet('write', path);
    } catch (error) {
      // A full disk accepts as many bytes as fit.
      await torn();
      throw error;
    }
    if (met === 'go') return writeFile(bytes);
    if (isFirstAfterDeath()) await torn();
    return new Promise<never>(() => {});
  };
  handle.sync = changing('fsync', () => path, skipped);
  handle.truncate = changing('truncate', () => path, handle.truncate.bind(handle));
  handle.chmod = changing('chmod', () => path, handle.chmod.bind(handle));
  return handle;
}

/** Skips waiting for the disk, which is slow and changes nothing that other processes see. */
async function skipped(): Promise<void> {}

/** A process may be killed during a write, which then is incomplete. */
function isFirstAfterDeath(): boolean {
  const run = current.getStore();
  return run?.changes === run?.accident.at;
}

/** Wraps the changing functions of `node:fs`. */
export function changingFs(real: typeof fs): typeof fs {
  return {
    ...real,
    symlinkSync: changingSync('symlink', second, real.symlinkSync),
    renameSync: changingSync('rename', second, real.renameSync),
    linkSync: changingSync('link', second, real.linkSync),
    writeFileSync: changingSync(
      'write',
      first,
      real.writeFileSync as (path: string) => void,
    ) as never,
    rmSync: changingSync('rm', first, real.rmSync),
  };
}
