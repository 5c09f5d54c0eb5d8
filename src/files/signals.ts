import { setImmediate } from 'node:timers/promises';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let listening = false;
let holding = 0;
let caught: NodeJS.Signals | undefined;

/**
 * Signals that come meanwhile end the process once this is over.
 *
 * Listeners stay when it is: a signal that came as they went would be nobody's.
 */
export async function holdingSignals<T>(action: () => T): Promise<T> {
  if (!listening) for (const signal of SIGNALS) process.on(signal, onSignal);
  listening = true;
  holding += 1;
  try {
    const result = action();
    // Node tells of signals once in every turn of its loop: let a whole one pass.
    await setImmediate();
    await setImmediate();
    return result;
  } finally {
    holding -= 1;
    if (holding === 0 && caught !== undefined) endBy(caught);
  }
}

function onSignal(signal: NodeJS.Signals): void {
  if (holding > 0) caught = signal;
  else endBy(signal);
}

function endBy(signal: NodeJS.Signals): void {
  for (const each of SIGNALS) process.off(each, onSignal);
  process.kill(process.pid, signal);
}
