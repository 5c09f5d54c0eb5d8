import { existsSync, readFileSync } from 'node:fs';

/** Returns the text of a file of this package, by its path from the top. Executables embed these files. */
export function ownFile(path: string): string {
  return readFileSync(new URL(path, ownFolder()), 'utf8');
}

/** The folder of package.json: above `dist`, where the program is built, and `src`, where tests run. */
function ownFolder(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder);
  return folder;
}
