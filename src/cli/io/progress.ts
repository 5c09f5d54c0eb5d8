import { printable } from '../../text/printable.js';
import type { ReadStats } from '../../driver/read-stats.js';
import type { Io } from './io.js';

/** Work that is done before this many milliseconds is not worth a word. */
const PATIENCE = 500;
const EVERY = 100;

/** Does some work and, where a person watches and it takes long, shows how it goes. */
export async function withProgress<T>(
  io: Io,
  stats: ReadStats,
  work: () => Promise<T>,
): Promise<T> {
  if (!io.interactive) return work();
  const since = performance.now();
  const timer = setInterval(() => {
    if (performance.now() - since >= PATIENCE) io.status(progressLine(stats, io.columns() - 1));
  }, EVERY);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    io.status('');
  }
}

/** What is being read, how much has been; in so many characters, for a longer line would wrap. */
export function progressLine(stats: ReadStats, width: number): string {
  const { latest, listed, fetched, bytes } = stats;
  const read = `${fetched} ${fetched === 1 ? 'package' : 'packages'}, ${listed} tag ${listed === 1 ? 'list' : 'lists'}`;
  const counts = ` (${read}${bytes > 0 ? `, ${megabytes(bytes)}` : ''})`;
  if (latest === undefined) return `searching${counts}`.slice(0, width);
  const name = shortened(printable(latest), width - `reading ${counts}`.length);
  return `reading ${name}${counts}`.slice(0, width);
}

/** Without its middle, if need be: registry and version say the most. */
function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = Math.max(length - 1, 0);
  const end = Math.floor(kept / 2);
  return `${text.slice(0, kept - end)}…${text.slice(text.length - end)}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
