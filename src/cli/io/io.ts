/** The world as a command sees it; `main.ts` makes the real one. */
export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Data: the only thing that goes to stdout. Adds nothing. */
  out(text: string): void;
  /** Everything else, a line at a time, to stderr. */
  note(line: string): void;
  /** The same at the end, sorted and each once: for what comes to light in no order. */
  afterwards(line: string): void;
  /** Shows a line that the next one takes the place of; for `interactive` alone. '' takes it away. */
  status(line: string): void;
  /** Standard input, to its end. */
  stdin(): Promise<string>;
  /** Standard input, line by line. */
  stdinLines(): AsyncIterable<string>;
  /** stderr is a terminal that a person watches. */
  readonly interactive: boolean;
  /** How wide that terminal is by now. */
  columns(): number;
}
