import { join, resolve } from 'node:path';

/** A path in the folder of data and tools that may stand beside the checkout. */
export function sharedFolder(...path: readonly string[]): string {
  return join(resolve(import.meta.dirname, '../../..', 'shared'), ...path);
}
