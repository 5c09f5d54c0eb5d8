import { isAbsolute, normalize, relative, resolve } from 'node:path';

/** A path below a folder as seen from there; any other as it is. */
export function fromFolder(folder: string, path: string): string {
  const below = relative(folder, resolve(folder, path));
  return below.startsWith('..') || isAbsolute(below) ? normalize(path) : below;
}
