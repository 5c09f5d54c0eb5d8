import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where downloads are kept between runs. */
export const KEPT = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'xpkg-resolve-shipping',
);
