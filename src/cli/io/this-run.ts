import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { Run } from '../../files/run.js';
import { isLock, lockFolders } from '../../files/folder-lock.js';
import { isAlive } from '../../files/is-alive.js';
import { waitForLock } from '../../files/wait-for-lock.js';

/** The process, as what it leaves in a folder is to be told from what others do. */
export const thisRun: Run = {
  get name() {
    return runName(process.pid, hostname());
  },
  hasEnded: (name) => {
    const pid = Number(name.split('-')[1]);
    return name === runName(pid, hostname()) && !isAlive(pid);
  },
  alone: (folder, action) =>
    waitForLock(async () => {
      const locks = lockFolders([folder]);
      if ('holder' in locks) return locks;
      try {
        action();
      } finally {
        locks.release();
      }
      return undefined;
    }),
  isLock,
};

/** Hosts have names that files had better not. */
export function runName(pid: number, host: string): string {
  return `${createHash('sha256').update(host).digest('hex').slice(0, 8)}-${pid}`;
}
