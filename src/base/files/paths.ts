import { dirname, isAbsolute, relative, resolve } from 'node:path';

/** Whether a path is `folder` or below it, by name. Does not follow links. */
export function isWithin(path: string, folder: string): boolean {
  const relativePath = relative(folder, path);
  return (
    relativePath === '' || (!/^\.\.(?:[/\\]|$)/.test(relativePath) && !isAbsolute(relativePath))
  );
}

/** Returns the full paths of a folder and of all folders above it, the innermost first. */
export function folderAndParents(folder: string): readonly string[] {
  const path = resolve(folder);
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...folderAndParents(parent)];
}
