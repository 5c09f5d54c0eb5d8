import pLimit from 'p-limit';

/**
 * Packages are fetched side by side, and unpacked and read one after the other: what a reader needs
 * of memory it then needs once, however many requests are under way.
 */
const turn = pLimit(1);

/** Reads when no other reader does. `read` must not wait for the network or for another turn. */
export function inReadingTurn<T>(read: () => Promise<T>): Promise<T> {
  return turn(read);
}
