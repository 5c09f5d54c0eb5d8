import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let isListening = false;
/** Number of running actions that delay signals. */
let delayingActions = 0;
/** The last signal that arrived while signals were delayed. */
let delayedSignal: NodeJS.Signals | undefined;
const cleanUps = new Set<() => void>();

/** Runs `action` to its end. A signal that arrives meanwhile ends the process afterward. */
export async function delayingSignals<T>(action: () => Promise<T>): Promise<T> {
  addListeners();
  delayingActions += 1;
  try {
    const result = await action();
    // Node delivers signals once per turn of its event loop: wait for one full turn.
    await setImmediate();
    await setImmediate();
    return result;
  } finally {
    delayingActions -= 1;
    if (delayingActions === 0 && delayedSignal !== undefined) endWithSignal(delayedSignal);
  }
}

/** Runs `action`. If a signal ends the process meanwhile, runs `cleanUp` first. */
export async function cleaningUpOnSignal<T>(
  cleanUp: () => void,
  action: () => Promise<T>,
): Promise<T> {
  addListeners();
  cleanUps.add(cleanUp);
  try {
    return await action();
  } finally {
    cleanUps.delete(cleanUp);
  }
}

/** Adds the listeners once. They stay, because a signal in between would be lost. */
function addListeners(): void {
  if (!isListening) for (const signal of SIGNALS) process.on(signal, onSignal);
  isListening = true;
}

function onSignal(signal: NodeJS.Signals): void {
  if (delayingActions > 0) delayedSignal = signal;
  else endWithSignal(signal);
}

/** Ends the process with the signal itself, so that its parent sees which one it was. */
function endWithSignal(signal: NodeJS.Signals): void {
  for (const each of SIGNALS) process.off(each, onSignal);
  for (const cleanUp of cleanUps) cleanUp();
  process.kill(process.pid, signal);
}

/** Waits for `work` of a child that leads a process group. The group ends with this process. */
export async function withChildGroup<T>(child: ChildProcess, work: Promise<T>): Promise<T> {
  const end = () => killChildGroup(child);
  process.once('exit', end);
  try {
    return await cleaningUpOnSignal(end, () => work);
  } finally {
    process.off('exit', end);
  }
}

/** Kills a child and its process group; on Windows, only the child. */
export function killChildGroup(child: ChildProcess): void {
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

/** Whether a process with this id, and with this start time if given, runs on this machine. */
export function isAlive(pid: number, started?: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Another code, such as EPERM, means that the process exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return started === undefined || (processStart(pid) ?? started) === started;
}

/**
 * Returns the start time of a process in clock ticks since boot, which tells apart processes with a
 * reused id. Returns undefined on systems other than Linux.
 */
export function processStart(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program name in parentheses, which may contain anything.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
