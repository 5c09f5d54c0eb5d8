import { codeOf } from './error-code.js';

/** Whether a process with that id runs on this machine. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Any other code, EPERM for one, means that the process is there and belongs to another user.
    return codeOf(error) !== 'ESRCH';
  }
}
