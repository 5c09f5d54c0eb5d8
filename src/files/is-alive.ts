import { readFileSync } from 'node:fs';
import { codeOf } from './error-code.js';

/** Whether a process with that id runs on this machine; `started`: one that began then. */
export function isAlive(pid: number, started?: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Any other code, EPERM for one, means that the process is there and belongs to another user.
    if (codeOf(error) === 'ESRCH') return false;
  }
  return started === undefined || (processStart(pid) ?? started) === started;
}

/**
 * When a process began, in ticks since the machine did: with it, an id that is given out again is
 * told apart, whatever the clock says. undefined: only Linux tells.
 */
export function processStart(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name of the program, in brackets, and may hold anything.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
