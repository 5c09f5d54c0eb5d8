import { foldLine } from '../output/fold-line.js';
import type { Io } from './io.js';

/** Keeps text within the terminal that shows it; what goes to a file or a pipe stays as it is. */
export function foldedIo(io: Io): Io {
  const { terminal } = io;
  return {
    ...io,
    out: (text) => {
      const width = terminal.out();
      io.out(width === undefined ? text : folded(text, width));
    },
    note: (line) => {
      const width = terminal.note();
      if (width === undefined) io.note(line);
      else foldLine(line, width).forEach((part) => io.note(part));
    },
  };
}

function folded(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => foldLine(line, width))
    .join('\n');
}
