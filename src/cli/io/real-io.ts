import { text } from 'node:stream/consumers';
import type { Io } from './io.js';

const CLEAR_LINE = '\r\u001b[K';

/** The process's own streams, working folder and environment. */
export function realIo(): Io {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', quietOnClosedPipe);
  let shown = false;
  const status = (line: string): void => {
    if (line === '' && !shown) return;
    process.stderr.write(`${CLEAR_LINE}${line}`);
    shown = line !== '';
  };
  const note = (line: string): void => {
    status('');
    process.stderr.write(`${line}\n`);
  };
  return {
    cwd: process.cwd(),
    env: process.env,
    out: (data) => {
      status('');
      process.stdout.write(data);
    },
    note,
    afterwards: note,
    status,
    stdin: () => text(process.stdin),
    stdinLines: () => linesOf(process.stdin.setEncoding('utf8')),
    columns: () => process.stderr.columns || 80,
    interactive: process.stderr.isTTY && !process.env['CI'] && process.env['TERM'] !== 'dumb',
  };
}

/** Ends quietly when the reader of a pipe has ended: `xpkg-resolve … | head`. */
function quietOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}

/** Only a line feed ends a line: `readline` also splits at U+2028, which JSON leaves unescaped. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest;
}
