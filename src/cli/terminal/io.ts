import type { Clock, TimeBudget } from '../../base/time.js';
import { noStats, type ReadStats } from '../../resolver/driver/read-stats.js';
import type { MakeReport } from '../findings/report.js';

/** The process as a use case sees it: it can read and report, but not print data. */
export interface RunIo {
  readonly cwd: string;
  /** Full path of the project folder; undefined for the working folder. */
  readonly projectFolder?: string | undefined;
  /** The words of the command line. */
  readonly words: readonly CommandWord[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Clock for waiting on other writers. */
  readonly clock: Clock;
  /** Prints a line to stderr. */
  note(line: string): void;
  /** Prints a note when the command has ended, sorted and without repeats: for notes without a fixed order. */
  afterwards(line: string): void;
  /** State shared by the runs of `--each`; undefined for a single run. */
  readonly shared?: SharedSources | undefined;
  /** Shows a line that the next one replaces; `''` clears it. Used only if `interactive`. */
  status(line: string): void;
  /** Reads all of standard input. Throws if it is larger than an input file may be. */
  stdin(): Promise<string>;
  /** Standard input in chunks. */
  stdinBytes(): AsyncIterable<Uint8Array>;
  /** Standard input, line by line. */
  stdinLines(): AsyncIterable<string>;
  /** Asks the user a question; undefined if standard input is not a terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Whether stderr is a terminal that a person watches. */
  readonly interactive: boolean;
  /** Width of that terminal, which the user may change. */
  columns(): number;
  /** Widths of the terminals for stdout and stderr; undefined for a file or a pipe. */
  readonly terminal: {
    readonly out: () => number | undefined;
    readonly note: () => number | undefined;
  };
}

/** Returns `io` without notes, for reading inputs whose notes have been printed. */
export function silent(io: RunIo): RunIo {
  return { ...io, note: () => {} };
}

/** The process, with output; `realIo` is the real one. */
export interface Io extends RunIo {
  /** Prints data to stdout, without adding a line feed. */
  out(text: string): void;
  /** Prints the user's own data to stdout unchanged, for another program. */
  verbatim(text: string): void;
  /** Receives the report for `--format`; undefined if the flag is not given. */
  readonly report?: ((make: MakeReport) => void) | undefined;
  /** Receives the result in one line, for the table of `--each`. */
  headline(line: string): void;
}

/** A word of the command line. */
export interface CommandWord {
  readonly text: string;
  /** The flag of this word or value; undefined for commands and arguments. */
  readonly flag: string | undefined;
}

/** Sources and memory that the runs of `--each` share. */
export class SharedSources {
  /** Notes about sources, which are not about one project. */
  readonly io: RunIo;
  /** Clock of the whole run, for waits on behalf of all projects. */
  readonly timeout: TimeBudget | undefined;
  /** Counts of reads for all projects. */
  readonly stats: ReadStats = noStats();
  readonly #opened = new Map<string, Promise<unknown>>();

  constructor(io: RunIo, timeout: TimeBudget | undefined) {
    this.io = io;
    this.timeout = timeout;
  }

  /** Returns the result of the first `open` for `key`, also if it failed. */
  once<T>(key: string, open: () => Promise<T>): Promise<T> {
    const known = this.#opened.get(key) ?? open();
    this.#opened.set(key, known);
    return known as Promise<T>; // each key has one type of value
  }
}
