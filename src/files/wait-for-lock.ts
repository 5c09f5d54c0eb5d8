import { setTimeout } from 'node:timers/promises';
import { InputError } from '../model/input-error.js';
import type { Busy } from './folder-lock.js';
import { holdingSignals } from './signals.js';

const LOCK_WAIT_MS = 10_000;
const LOCK_POLL_MS = 25;

/**
 * Makes attempts until one finds no folder busy; gives up after `LOCK_WAIT_MS`.
 *
 * Signals are held back during an attempt and not between attempts, so that Ctrl-C ends the waiting.
 */
export async function waitForLock(attempt: () => Promise<Busy | undefined>): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOCK_POLL_MS) {
    const busy = await holdingSignals(attempt);
    if (busy === undefined) return;
    if (waitedMs >= LOCK_WAIT_MS) throw stillBusy(busy);
    await setTimeout(LOCK_POLL_MS);
  }
}

function stillBusy({ lock, holder }: Busy): InputError {
  return new InputError(`another process (${holder}) is writing beside \`${lock}\``, {
    hint: 'nothing was changed; wait for it, or remove that file if there is no such process',
  });
}
