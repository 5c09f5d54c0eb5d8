import type { ExitCode } from '../exit-code.js';
import type { Io } from '../io/io.js';

/** What `--format` is given to write. */
type MakeReport = Parameters<NonNullable<Io['report']>>[0];

/** What became of one set. */
export interface SetResult {
  /** Its file, as the pattern gave it. */
  readonly set: string;
  readonly exitCode: ExitCode;
  /** How it went, in one line. */
  readonly headline: string;
}

/** A result, and what the command printed for the set. */
export interface PrintedResult extends SetResult {
  /** To stdout. */
  readonly out: string;
  /** To stderr, line by line. */
  readonly notes: readonly string[];
  /** For `--format`; undefined: the command had nothing to report. */
  readonly report?: MakeReport | undefined;
}
