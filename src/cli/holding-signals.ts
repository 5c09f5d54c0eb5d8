import { setImmediate } from 'node:timers/promises';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** With a listener in place a signal cannot end the process; it does once this is over. */
export async function holdingSignals<T>(action: () => T): Promise<T> {
  let caught: NodeJS.Signals | undefined;
  const remember = (signal: NodeJS.Signals) => {
    caught = signal;
  };
  for (const signal of SIGNALS) process.on(signal, remember);
  try {
    const result = action();
    // Node tells of signals once in every turn of its loop: let a whole one pass.
    await setImmediate();
    await setImmediate();
    return result;
  } finally {
    for (const signal of SIGNALS) process.off(signal, remember);
    if (caught !== undefined) process.kill(process.pid, caught);
  }
}
