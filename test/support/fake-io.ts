import { join, relative } from 'node:path';
import { realClock } from '../../src/base/time.js';
import type { Io } from '../../src/cli/terminal/io.js';

export interface FakeIo extends Io {
  /** Returns everything written to stdout. */
  stdout(): string;
  /** Returns the lines written to stderr. */
  notes(): readonly string[];
}

const ROOT = join(import.meta.dirname, '../..');

/**
 * A process in memory that runs commands in tests. Throws if the working folder is in this
 * repository, because a command would read an `xpkg.yaml` or lockfile in it.
 */
export function fakeIo(given: Partial<Omit<Io, 'stdin'>> & { stdin?: string } = {}): FakeIo {
  const { stdin = '', cwd = process.cwd(), ...rest } = given;
  if (!relative(ROOT, cwd).startsWith('..')) {
    throw new Error(`A test must not run a command in ${cwd}, which is part of the repository`);
  }
  const out: string[] = [];
  const notes: string[] = [];
  return {
    cwd,
    words: [],
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
