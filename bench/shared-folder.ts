import { join, resolve } from 'node:path';

/** Returns a path in the folder of data and tools next to the checkout. */
export function sharedFolder(...path: readonly string[]): string {
  return join(resolve(import.meta.dirname, '../../../shared'), ...path);
}
