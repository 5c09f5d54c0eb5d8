import { styleText } from 'node:util';
import type { Io } from './io.js';

type Format = Parameters<typeof styleText>[0];

/** How messages begin, and how that is coloured; the rest of the line stays as it is. */
const STYLES: readonly (readonly [start: RegExp, format: Format])[] = [
  [/^(?:error|SECURITY):/, ['red', 'bold']],
  [/^warning:/, ['yellow', 'bold']],
  [/^hint:/, 'cyan'],
  [/^(?:note|trace):/, 'dim'],
];

/** Colours the first word of messages, where that is wanted; what they say stays the same. */
export function colouredIo(io: Io, asked: string | undefined): Io {
  return wantsColour(io, asked) ? { ...io, note: (line) => io.note(coloured(line)) } : io;
}

/** A flag decides, then NO_COLOR, then FORCE_COLOR, then whether a person watches. */
function wantsColour({ env, interactive }: Io, asked: string | undefined): boolean {
  if (asked === 'always' || asked === 'never') return asked === 'always';
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  return forced === undefined ? interactive : !['0', 'false'].includes(forced);
}

function coloured(line: string): string {
  for (const [start, format] of STYLES) {
    const found = start.exec(line)?.[0];
    if (found === undefined) continue;
    // Whether to colour has been decided above, by more than what `styleText` would look at.
    return styleText(format, found, { validateStream: false }) + line.slice(found.length);
  }
  return line;
}
