import { isAbsolute, relative } from 'node:path';

/** Whether a path is `folder` or below it, by name. Does not follow links. */
export function isWithin(path: string, folder: string): boolean {
  const between = relative(folder, path);
  return between === '' || (!/^\.\.(?:[/\\]|$)/.test(between) && !isAbsolute(between));
}
