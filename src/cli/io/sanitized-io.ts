import { escapedLines, printable } from '../../text/printable.js';
import type { Io } from './io.js';

/**
 * Escapes control characters in all output, so that text of a registry or a file cannot give orders
 * to a terminal or a build log. Commands escape what they quote; this covers those that forget.
 */
export function sanitizedIo(io: Io): Io {
  return {
    ...io,
    out: (text) => io.out(escapedLines(text)),
    note: (line) => io.note(printable(line, Infinity)),
    status: (line) => io.status(printable(line, Infinity)),
  };
}
