import type * as zstddec from 'zstddec/stream';

/** A copy of the library with a memory of its own, by its number: the loader takes each for a script of its own. */
export async function zstdLibrary(copy: number): Promise<typeof zstddec> {
  return require(`inside:zstddec.cjs?copy=${copy}`) as typeof zstddec;
}
