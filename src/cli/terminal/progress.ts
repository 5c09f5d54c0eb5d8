import { printable } from '../../base/escape.js';
import type { ReadStats } from '../../resolver/driver/read-stats.js';
import type { RunIo } from './io.js';
import { amount } from './package-text.js';

/** Delay before progress is shown. */
const QUIET_MS = 500;
const REFRESH_MS = 100;

/** Does some work and, if stderr is a terminal, shows what is being read. */
export async function withProgress<T>(
  io: RunIo,
  stats: ReadStats,
  work: () => Promise<T>,
): Promise<T> {
  return withStatus(io, () => progressLine(stats, io.columns() - 1), work);
}

/** Does some work and, if stderr is a terminal and it takes a while, shows a status line. */
export async function withStatus<T>(
  io: RunIo,
  status: () => string,
  work: () => Promise<T>,
): Promise<T> {
  if (!io.interactive) return work();
  const startedAt = performance.now();
  const timer = setInterval(() => {
    if (performance.now() - startedAt >= QUIET_MS) io.status(status());
  }, REFRESH_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    io.status('');
  }
}

/** Returns what is being read and the counts of reads, in at most `width` characters, so that it does not wrap. */
export function progressLine(stats: ReadStats, width: number): string {
  const { latest, listed, fetched, bytes } = stats;
  const read = `${amount(fetched, 'package')}, ${amount(listed, 'tag list')}`;
  const counts = ` (${read}${bytes > 0 ? `, ${(bytes / 1e6).toFixed(1)} MB` : ''})`;
  if (latest === undefined) return `searching${counts}`.slice(0, width);
  const name = shortenStart(printable(latest), width - `reading ${counts}`.length);
  return `reading ${name}${counts}`.slice(0, width);
}

/** Cuts the middle out of a text that is too long: registry and version are at its ends. */
function shortenStart(text: string, length: number): string {
  if (text.length <= length) return text;
  const shown = Math.max(length - 1, 0);
  const end = Math.floor(shown / 2);
  return `${text.slice(0, shown - end)}…${text.slice(text.length - end)}`;
}
