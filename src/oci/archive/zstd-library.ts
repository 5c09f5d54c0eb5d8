import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type * as zstddec from 'zstddec/stream';

/** Loads a separate instance of the library with its own memory. Executables contain the file. */
export async function loadZstdLibrary(copy: number): Promise<typeof zstddec> {
  const file = createRequire(import.meta.url).resolve('zstddec/stream');
  return (await import(`${pathToFileURL(file).href}?copy=${copy}`)) as typeof zstddec;
}
