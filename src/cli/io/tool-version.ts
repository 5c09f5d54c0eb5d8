import { existsSync, readFileSync } from 'node:fs';

/** The version in package.json. */
export function toolVersion(): string {
  const text = readFileSync(new URL('package.json', ownFolder()), 'utf8');
  return (JSON.parse(text) as { version: string }).version; // our own file
}

/** The folder of package.json: above `dist`, where the program is built, and `src`, where tests run. */
export function ownFolder(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder);
  return folder;
}
