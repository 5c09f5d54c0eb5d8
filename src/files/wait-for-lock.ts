import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { InputError } from '../model/input-error.js';
import { FOREIGN_STALE_AFTER_MS, type Busy } from './folder-lock.js';
import { holdingSignals } from './signals.js';

const LOCK_WAIT_MS = 10_000;
const LOCK_POLL_MS = 25;

/**
 * Makes attempts until one finds no folder busy; gives up after `LOCK_WAIT_MS`.
 *
 * Signals are held back during an attempt and not between attempts, so that Ctrl-C ends the waiting.
 */
export async function waitForLock(
  attempt: () => Promise<Busy | undefined>,
  pause: (ms: number) => Promise<unknown> = setTimeout,
): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOCK_POLL_MS) {
    const busy = await holdingSignals(attempt);
    if (busy === undefined) return;
    if (waitedMs >= LOCK_WAIT_MS) throw stillBusy(busy);
    await pause(LOCK_POLL_MS);
  }
}

/** Says who has the lock, and how to go on. */
function stillBusy({ lock, pid, host }: Busy): InputError {
  const who = pid === undefined ? '' : ` (${pid} on ${host})`;
  const unless =
    host === hostname()
      ? `if \`ps -p ${pid}\` shows no xpkg-resolve, remove that file`
      : `if no xpkg-resolve runs there any more, remove that file; a lock of another machine is taken over after ${FOREIGN_STALE_AFTER_MS / 1000} seconds`;
  return new InputError(`another process${who} is writing beside \`${lock}\``, {
    hint: `nothing was changed; wait for it, or, ${unless}`,
  });
}
