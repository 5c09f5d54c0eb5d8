import { MAX_INPUT_BYTES } from '../../inputs/input-files.js';
import { realClock } from '../../model/time/clock.js';
import { InputError } from '../../model/input-error.js';
import { boundedBytes } from '../../text/bounded-bytes.js';
import type { Io } from './io.js';

const CLEAR_LINE = '\r\u001b[K';

/** The process's own streams, working folder and environment. */
export function realIo(): Io {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onFailedOutput);
  const isWatched = process.stderr.isTTY && !process.env['CI'] && process.env['TERM'] !== 'dumb';
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
    argv: process.argv.slice(2),
    env: process.env,
    clock: realClock,
    out: (data) => {
      status('');
      process.stdout.write(data);
    },
    verbatim: (data) => void process.stdout.write(data),
    note,
    afterwards: note,
    headline: () => {},
    status,
    stdin: readStdin,
    stdinBytes: () => process.stdin,
    stdinLines: () => linesOf(process.stdin.setEncoding('utf8')),
    ask: isWatched && process.stdin.isTTY ? ask : undefined,
    columns: () => process.stderr.columns || 80,
    interactive: isWatched,
    terminal: { out: () => widthOf(process.stdout), note: () => widthOf(process.stderr) },
  };
}

async function readStdin(): Promise<string> {
  const bytes = await boundedBytes(process.stdin, MAX_INPUT_BYTES);
  if (bytes !== undefined) return new TextDecoder().decode(bytes);
  throw new InputError(`is larger than ${MAX_INPUT_BYTES} bytes, the most that is read`, {
    origin: { file: '-' },
  });
}

/** Ends the process, and quietly where the reader of a pipe has ended: `xpkg-resolve … | head`. */
function onFailedOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  throw new InputError(`the output cannot be written: ${error.message}`, { cause: error });
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
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

function widthOf(stream: NodeJS.WriteStream): number | undefined {
  return stream.isTTY ? stream.columns || undefined : undefined;
}
