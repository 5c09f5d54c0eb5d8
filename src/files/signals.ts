import { setImmediate } from 'node:timers/promises';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let listening = false;
/** How many actions hold signals back. */
let holding = 0;
/** The signal that came while it was held back. */
let caught: NodeJS.Signals | undefined;
const cleanUps = new Set<() => void>();

/** Runs `action` to its end; a signal that comes meanwhile ends the process after it. */
export async function holdingSignals<T>(action: () => Promise<T>): Promise<T> {
  listen();
  holding += 1;
  try {
    const result = await action();
    // Node delivers signals once in every turn of its event loop: let a whole turn pass.
    await setImmediate();
    await setImmediate();
    return result;
  } finally {
    holding -= 1;
    if (holding === 0 && caught !== undefined) endBy(caught);
  }
}

/** Runs `action`; should a signal end the process meanwhile, `cleanUp` runs first. */
export async function cleaningUpOnSignal<T>(
  cleanUp: () => void,
  action: () => Promise<T>,
): Promise<T> {
  listen();
  cleanUps.add(cleanUp);
  try {
    return await action();
  } finally {
    cleanUps.delete(cleanUp);
  }
}

/** Once for the whole process: a signal that came while listeners were being removed would be lost. */
function listen(): void {
  if (!listening) for (const signal of SIGNALS) process.on(signal, onSignal);
  listening = true;
}

function onSignal(signal: NodeJS.Signals): void {
  if (holding > 0) caught = signal;
  else endBy(signal);
}

/** Ends the process by the signal itself, so that its parent sees which one it was. */
function endBy(signal: NodeJS.Signals): void {
  for (const each of SIGNALS) process.off(each, onSignal);
  for (const cleanUp of cleanUps) cleanUp();
  process.kill(process.pid, signal);
}
