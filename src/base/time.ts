import { setMaxListeners } from 'node:events';

/** The time and the random numbers that retries use. Tests replace it. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** `reason` is a short explanation for messages: `the registry answered 429`. */
  sleep(milliseconds: number, reason?: string): Promise<void>;
  random(): number;
}

export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  random: () => Math.random(),
};

/** The time limit of a run has passed (exit code 7). The message names what the run waited for. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
  readonly seconds: number;
  readonly waitedFor: string;

  constructor(seconds: number, waitedFor: string, subject?: string) {
    const what = `the ${seconds} s for this run are over; it was waiting for ${waitedFor}`;
    super(subject === undefined ? what : `${subject}: ${what}`);
    this.seconds = seconds;
    this.waitedFor = waitedFor;
  }

  /** Returns a copy that names the requested data: `tags of h.io/a/p`. */
  about(subject: string): OutOfTime {
    return new OutOfTime(this.seconds, this.waitedFor, subject);
  }
}

/** The time limit of a run, from its creation on. It ends every wait. */
export interface TimeBudget {
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Reads the clock. During a search that never waits, timers do not fire, nor does `signal`. */
  isUp(): boolean;
  /** Returns the result of `work`. Throws `OutOfTime` as soon as the time is up. */
  wait<T>(waitedFor: string, work: Promise<T>): Promise<T>;
}

/** The longest delay of a Node timer, about 24 days. A timer with a longer one fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function timeBudget(seconds: number, signal = timeoutSignal(seconds)): TimeBudget {
  // Every open request adds a listener; Node warns about more than ten.
  setMaxListeners(0, signal);
  const end = performance.now() + seconds * 1000;
  return {
    seconds,
    signal,
    isUp: () => signal.aborted || performance.now() >= end,
    wait: async (waitedFor, work) => {
      const finished = new AbortController();
      const timeout = new Promise<never>((_resolve, reject) => {
        const giveUp = () => reject(new OutOfTime(seconds, waitedFor));
        if (signal.aborted) giveUp();
        else signal.addEventListener('abort', giveUp, { signal: finished.signal });
      });
      try {
        return await Promise.race([timeout, work]);
      } finally {
        finished.abort();
      }
    },
  };
}

function timeoutSignal(seconds: number): AbortSignal {
  return AbortSignal.timeout(Math.min(Math.ceil(seconds * 1000), MAX_TIMER_MS));
}

/** Returns a clock whose `sleep` ends when the time of the run is up. */
export function limitedClock(clock: Clock, budget: TimeBudget): Clock {
  return {
    now: () => clock.now(),
    random: () => clock.random(),
    sleep: (milliseconds, reason = 'the last one failed') =>
      budget.wait(`another try, because ${reason}`, clock.sleep(milliseconds)),
  };
}

/** Waits until all are settled. Throws the first failure in the given order, not in time. */
export async function allSettledInOrder<T extends readonly unknown[] | []>(
  all: T,
): Promise<{ -readonly [At in keyof T]: Awaited<T[At]> }> {
  await Promise.allSettled(all);
  return Promise.all(all);
}
