import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../../../shared');

/** Returns a path in the folder of test data next to the checkout. */
export function shared(...path: readonly string[]): string {
  const full = join(folder, ...path);
  if (!existsSync(full)) throw new Error(`conformance needs ${full}`);
  return full;
}
