import { setMaxListeners } from 'node:events';
import type { Clock } from './clock.js';
import { OutOfTime } from './out-of-time.js';

/** The time that a run may take, from the moment it is made; every wait for another party ends with it. */
export interface TimeBudget {
  readonly seconds: number;
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
  /** By the clock: a search that never waits keeps timers, and so `signal`, from going off. */
  isUp(): boolean;
  /** The result of `work`; throws `OutOfTime` as soon as the time is up. */
  wait<T>(waitedFor: string, work: Promise<T>): Promise<T>;
}

/** The longest that a timer of Node can wait, some 24 days; one set for longer goes off at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** `signal` is for tests that say themselves when the time is up. */
export function timeBudget(seconds: number, signal = timerOf(seconds)): TimeBudget {
  // As many may wait at once as requests may be under way; Node warns of more than ten.
  setMaxListeners(0, signal);
  const end = performance.now() + seconds * 1000;
  return {
    seconds,
    signal,
    isUp: () => signal.aborted || performance.now() >= end,
    wait: async (waitedFor, work) => {
      const done = new AbortController();
      const up = new Promise<never>((_resolve, reject) => {
        const giveUp = () => reject(new OutOfTime(seconds, waitedFor));
        if (signal.aborted) giveUp();
        else signal.addEventListener('abort', giveUp, { signal: done.signal });
      });
      try {
        return await Promise.race([up, work]);
      } finally {
        done.abort();
      }
    },
  };
}

function timerOf(seconds: number): AbortSignal {
  return AbortSignal.timeout(Math.min(Math.ceil(seconds * 1000), MAX_TIMER_MS));
}

/** A clock whose sleep ends with the time of the run. */
export function limitedClock(clock: Clock, budget: TimeBudget): Clock {
  return {
    now: () => clock.now(),
    random: () => clock.random(),
    sleep: (milliseconds, reason = 'the last one failed') =>
      budget.wait(`another try, because ${reason}`, clock.sleep(milliseconds)),
  };
}
