import { styleText } from 'node:util';
import type { Io } from './io.js';
import { escapeLines, printable } from '../../base/escape.js';

/** Escapes control characters in all output: a second barrier against text of registries and files. */
export function sanitizedIo(io: Io): Io {
  return {
    ...io,
    out: (text) => io.out(escapeLines(text)),
    note: (line) => io.note(printable(line, Infinity)),
    status: (line) => io.status(printable(line, Infinity)),
  };
}

/** Prefixes of messages and their colors; the rest of the line has no color. */
const STYLES: readonly (readonly [start: RegExp, format: Parameters<typeof styleText>[0]])[] = [
  [/^(?:error|SECURITY):/, ['red', 'bold']],
  [/^warning:/, ['yellow', 'bold']],
  [/^hint:/, 'cyan'],
  [/^(?:note|trace):/, 'dim'],
];

/** Colors the first word of messages, if requested. */
export function coloredIo(io: Io, mode: string | undefined): Io {
  return usesColors(io, mode) ? { ...io, note: (line) => io.note(withColoredPrefix(line)) } : io;
}

/** Returns whether to use colors: decided by the flag, NO_COLOR, FORCE_COLOR, or the terminal, in that order. */
function usesColors({ env, interactive }: Io, mode: string | undefined): boolean {
  if (mode === 'always' || mode === 'never') return mode === 'always';
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forceColor = env['FORCE_COLOR'];
  return forceColor === undefined ? interactive : !['0', 'false'].includes(forceColor);
}

function withColoredPrefix(line: string): string {
  const [start, format] = STYLES.find(([pattern]) => pattern.test(line)) ?? [];
  if (start === undefined || format === undefined) return line;
  // `styleText` would decide by the stream alone.
  return line.replace(start, (word) => styleText(format, word, { validateStream: false }));
}

/** Folds lines to the width of the terminal; output to a file or a pipe is unchanged. */
export function foldedIo(io: Io): Io {
  const { terminal } = io;
  return {
    ...io,
    out: (text) => {
      const width = terminal.out();
      const lines = text.split('\n');
      io.out(
        width === undefined ? text : lines.flatMap((line) => foldLine(line, width)).join('\n'),
      );
    },
    note: (line) => {
      const width = terminal.note();
      if (width === undefined) io.note(line);
      else foldLine(line, width).forEach((part) => io.note(part));
    },
  };
}

/** The branches of a tree before a name. */
const BRANCHES = /^[\s│├└─]*/u;
/** Maximum hanging indent, as a share of the width. */
const MAX_INDENT_SHARE = 0.6;

/**
 * Breaks a line at spaces. The rest is indented to the last column of a table, or behind the
 * branches of a tree. A word that is too long stays whole.
 */
export function foldLine(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const indent = hangingIndent(line, width);
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const minimumIndent =
      lines.length === 0 ? (BRANCHES.exec(line)?.[0].length ?? 0) : indent.length;
    const before = rest.lastIndexOf(' ', width);
    const at = before > minimumIndent ? before : rest.indexOf(' ', Math.max(width, minimumIndent));
    if (at < 0) break;
    lines.push(rest.slice(0, at).trimEnd());
    rest = `${indent}${rest.slice(at).trimStart()}`;
  }
  return [...lines, rest];
}

function hangingIndent(line: string, width: number): string {
  const branches = BRANCHES.exec(line)?.[0] ?? '';
  const continuedBranches = branches.replaceAll(/[^\s│]/gu, (mark) => (mark === '├' ? '│' : ' '));
  const gap = line.lastIndexOf('  ');
  const column = gap + 2;
  const hasColumn = gap > branches.length && column <= width * MAX_INDENT_SHARE;
  return hasColumn ? continuedBranches.padEnd(column) : `${continuedBranches}    `;
}
