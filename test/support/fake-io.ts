import { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import type { Io } from '../../src/cli/io.js';

export interface FakeIo extends Io {
  /** All data printed. */
  stdout(): string;
  /** Everything else that was said, line by line. */
  notes(): readonly string[];
}

/** A world without a terminal, in which what a command says can be read afterwards. */
export function fakeIo(given: { stdin?: string; cwd?: string; env?: Io['env'] } = {}): FakeIo {
  const stdin = given.stdin ?? '';
  const out: string[] = [];
  const notes: string[] = [];
  return {
    cwd: given.cwd ?? '/nowhere',
    env: given.env ?? {},
    interactive: false,
    out: (text) => void out.push(text),
    note: (line) => void notes.push(line),
    stdin: () => Promise.resolve(stdin),
    stdinLines: () => createInterface({ input: Readable.from([stdin]), crlfDelay: Infinity }),
    stdout: () => out.join(''),
    notes: () => notes,
  };
}
