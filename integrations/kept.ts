import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for downloads that are reused by later runs. */
export const KEPT = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'xpkg-resolve-shipping',
);
