import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { isAlive } from './is-alive.js';

/** What `runName` gives: eight hex digits for the host, a dash, the process id. */
export const RUN_NAME = '[0-9a-f]{8}-[0-9]{1,10}';

/**
 * Names a process in what it leaves in a shared folder, should it be killed.
 *
 * The host is hashed: its name may hold characters that a file name cannot.
 */
export function runName(pid: number = process.pid, host: string = hostname()): string {
  return `${createHash('sha256').update(host).digest('hex').slice(0, 8)}-${pid}`;
}

/** Whether the process of that name ran on this machine and is gone; of other machines nothing is known. */
export function hasEnded(name: string): boolean {
  const pid = Number(name.split('-')[1]);
  return name === runName(pid) && !isAlive(pid);
}

const TEMPORARY_OF_RUN = new RegExp(
  `^\\..+\\.(${RUN_NAME})\\.[0-9a-f]{12}\\.(?:new|tmp|gone)(?:\\.old)?$`,
);

/** Whether a temporary file or folder, `.NAME.RUN.0123456789ab.new`, is of a process that has ended. */
export function isOfEndedRun(name: string): boolean {
  const run = TEMPORARY_OF_RUN.exec(name)?.[1];
  return run !== undefined && hasEnded(run);
}
