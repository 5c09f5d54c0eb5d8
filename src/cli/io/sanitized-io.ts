import { escapedLines, printable } from '../../text/printable.js';
import type { Io } from './io.js';

/**
 * The same world, in which nothing that a registry or a file says reaches a terminal or a build log
 * as an order to it: the last defence, whichever command forgot the first.
 */
export function sanitizedIo(io: Io): Io {
  return {
    ...io,
    out: (text) => io.out(escapedLines(text)),
    note: (line) => io.note(printable(line, Infinity)),
    status: (line) => io.status(printable(line, Infinity)),
  };
}
