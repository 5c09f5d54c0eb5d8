import { getAsset } from 'node:sea';

/** The text of a file of this package, by its path from the top. */
export function ownFile(path: string): string {
  return getAsset(path, 'utf8');
}
