import type * as zstddec from 'zstddec/stream';
import type { loadZstdLibrary as replacedFunction } from '../../../src/oci/archive/zstd-library.js';

/**
 * Returns a numbered copy of the library with its own memory: the loader treats each as a separate
 * script.
 */
export const loadZstdLibrary: typeof replacedFunction = async (copy) =>
  require(`inside:zstddec.cjs?copy=${copy}`) as typeof zstddec;
