/** The time and the random numbers that retries depend on; tests bring their own. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** `reason` says in a few words why, for messages: `the registry answered 429`. */
  sleep(milliseconds: number, reason?: string): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  random: () => Math.random(),
};
