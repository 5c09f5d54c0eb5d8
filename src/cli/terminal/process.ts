import { setFlagsFromString } from 'node:v8';
import type { Io } from './io.js';
import { InputError } from '../../base/errors.js';
import { readUpTo } from '../../base/size-limits.js';
import { realClock } from '../../base/time.js';
import { MAX_INPUT_BYTES } from '../../project/inputs/input-files.js';

const CLEAR_LINE = '\r\u001b[K';

/** Returns the `Io` of this process: its streams, working folder and environment. */
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
    words: [],
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
  const bytes = await readUpTo(process.stdin, MAX_INPUT_BYTES);
  if (bytes !== undefined) return new TextDecoder().decode(bytes);
  throw new InputError(`is larger than ${MAX_INPUT_BYTES} bytes, the most that is read`, {
    origin: { file: '-' },
  });
}

/** Ends the process after a failed write; silently if the reader of a pipe has ended (`xpkg-resolve … | head`). */
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

/** Bytes of bytecode that a function runs before V8 considers optimizing it; six times the default. */
const BUDGET = 400_000;

/**
 * Makes V8 wait longer before it optimizes code, as Node.js 22 does: most runs end before that pays
 * off. Only for Node.js 20, because later releases print a warning for the unknown flag.
 */
export function optimizeLater(v8 = process.versions.v8, setFlags = setFlagsFromString): void {
  if (v8.startsWith('11.')) setFlags(`--interrupt-budget=${BUDGET}`);
}
