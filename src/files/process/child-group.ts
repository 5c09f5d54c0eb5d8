import type { ChildProcess } from 'node:child_process';
import { cleaningUpOnSignal } from '../signals.js';

/**
 * Waits for `work` of a child that leads a process group (`detached`). Should this process end
 * meanwhile, by a signal or otherwise, the group ends with it.
 */
export async function withChildGroup<T>(child: ChildProcess, work: Promise<T>): Promise<T> {
  const end = () => endChildGroup(child);
  process.once('exit', end);
  try {
    return await cleaningUpOnSignal(end, () => work);
  } finally {
    process.off('exit', end);
  }
}

/** Kills a child and all that it has started and that stayed in its group; on Windows, it alone. */
export function endChildGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}
