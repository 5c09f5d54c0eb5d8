import { setTimeout } from 'node:timers/promises';
import { InputError } from '../model/input-error.js';
import type { Busy } from './folder-lock.js';

/** How long another process may take to write the same files, in milliseconds. */
const PATIENCE = 10_000;
const EVERY = 25;

/** Tries again for as long as somebody has a lock that is wanted, within reason. */
export async function waitForLock(attempt: () => Promise<Busy | undefined>): Promise<void> {
  for (let waited = 0; ; waited += EVERY) {
    const busy = await attempt();
    if (busy === undefined) return;
    if (waited >= PATIENCE) throw stillBusy(busy);
    await setTimeout(EVERY);
  }
}

function stillBusy({ lock, holder }: Busy): InputError {
  return new InputError(`another process (${holder}) is writing beside \`${lock}\``, {
    hint: 'nothing was changed; wait for it, or remove that file if there is no such process',
  });
}
