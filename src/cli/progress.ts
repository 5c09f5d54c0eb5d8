import { printable } from '../model/printable.js';
import type { SourceStats } from '../sources/counted.js';
import type { Io } from './io.js';

/** Work that is done before this many milliseconds is not worth a word. */
const PATIENCE = 500;
const EVERY = 100;
const WIDTH = 100;

/** Does some work and, where a person watches and it takes long, shows how it goes. */
export async function withProgress<T>(
  io: Io,
  stats: SourceStats,
  work: () => Promise<T>,
): Promise<T> {
  if (!io.interactive) return work();
  const since = performance.now();
  const timer = setInterval(() => {
    if (performance.now() - since >= PATIENCE) io.status(progressLine(stats));
  }, EVERY);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    io.status('');
  }
}

/** What is being read, how much has been. */
export function progressLine({ latest, listed, fetched, bytes }: SourceStats): string {
  const read = `${fetched} ${fetched === 1 ? 'package' : 'packages'}, ${listed} tag ${listed === 1 ? 'list' : 'lists'}`;
  const loaded = bytes > 0 ? `, ${megabytes(bytes)}` : '';
  const now = latest === undefined ? 'searching' : `reading ${printable(latest)}`;
  return `${now} (${read}${loaded})`.slice(0, WIDTH);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
