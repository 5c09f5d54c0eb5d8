import { realClock } from '../../src/model/time/clock.js';
import type { Io } from '../../src/cli/io/io.js';

export interface FakeIo extends Io {
  /** Everything written to stdout. */
  stdout(): string;
  /** Lines written to stderr. */
  notes(): readonly string[];
}

/** A world in memory, for running commands in tests. */
export function fakeIo(given: Partial<Omit<Io, 'stdin'>> & { stdin?: string } = {}): FakeIo {
  const { stdin = '', ...rest } = given;
  const out: string[] = [];
  const notes: string[] = [];
  return {
    cwd: '.',
    argv: [],
    env: {},
    clock: { ...realClock, sleep: () => Promise.resolve() },
    interactive: false,
    columns: () => 80,
    terminal: { out: () => undefined, note: () => undefined },
    out: (text) => void out.push(text),
    verbatim: (text) => void out.push(text),
    note: (line) => void notes.push(line),
    afterwards: (line) => void notes.push(line),
    headline: () => {},
    status: () => {},
    stdin: () => Promise.resolve(stdin),
    stdinBytes: () => bytesOf(stdin),
    stdinLines: () => linesOf(stdin),
    ...rest,
    stdout: () => out.join(''),
    notes: () => notes,
  };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
