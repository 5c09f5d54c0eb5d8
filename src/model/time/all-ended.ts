/** Waits until all have ended; throws the failure that is first in the order given, not in time. */
export async function allEnded<T extends readonly unknown[] | []>(
  all: T,
): Promise<{ -readonly [At in keyof T]: Awaited<T[At]> }> {
  await Promise.allSettled(all);
  // All have ended: what is left is to take their results, one after the other.
  return Promise.all(all);
}
