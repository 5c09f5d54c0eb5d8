import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type * as zstddec from 'zstddec/stream';

/** A copy of the library with a memory of its own, by its number; an executable has the file inside. */
export async function zstdLibrary(copy: number): Promise<typeof zstddec> {
  const file = createRequire(import.meta.url).resolve('zstddec/stream');
  return (await import(`${pathToFileURL(file).href}?copy=${copy}`)) as typeof zstddec;
}
