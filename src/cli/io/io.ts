import type { Clock } from '../../model/time/clock.js';
import type { Report } from '../../report/report.js';
import type { SharedSources } from '../each/shared-sources.js';

/** What a command sees of the process and the machine; `realIo` is the one of the process. */
export interface Io {
  readonly cwd: string;
  /** The words of the command line. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What waiting for other writers goes by. */
  readonly clock: Clock;
  /** Data: the only thing that goes to stdout. Adds nothing. */
  out(text: string): void;
  /** Data for another program, as it is: for what is the user's own, and must come back unchanged. */
  verbatim(text: string): void;
  /** Everything else, a line at a time, to stderr. */
  note(line: string): void;
  /** A note printed when the command has ended, sorted, each once: for notes that come in no order. */
  afterwards(line: string): void;
  /** Takes what came of the command, to be written as `--format` says; undefined: it is not given. */
  readonly report?: ((make: (command: string) => Promise<Report>) => void) | undefined;
  /** Tells in one line how the run went, for a table of many sets; one run alone has no use for it. */
  headline(line: string): void;
  /** What runs for many sets share; undefined: this is the only one. */
  readonly shared?: SharedSources | undefined;
  /** Shows a line that the next one replaces, `''` with nothing; used only if `interactive`. */
  status(line: string): void;
  /** Standard input, to its end; more than an input file may have is refused. */
  stdin(): Promise<string>;
  /** Standard input, as it comes. */
  stdinBytes(): AsyncIterable<Uint8Array>;
  /** Standard input, line by line. */
  stdinLines(): AsyncIterable<string>;
  /** Puts a question to the person at the terminal; undefined: input is not one. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** stderr is a terminal that a person watches. */
  readonly interactive: boolean;
  /** Width of that terminal, which the user may change. */
  columns(): number;
  /** Widths of the terminals that show stdout and stderr; undefined: it goes to a file or a pipe. */
  readonly terminal: {
    readonly out: () => number | undefined;
    readonly note: () => number | undefined;
  };
}
