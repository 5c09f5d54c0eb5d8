import type { Argv } from 'yargs';
import type { ExitCode } from './exit-code.js';
import type { Io } from './io/io.js';

/**
 * One command. `builder` declares flags; `run` parses, calls the library, prints, and says how it
 * went. Errors are thrown: `InputError`, `SourceError`, anything else is a bug.
 */
export interface Command<Args> {
  builder(yargs: Argv): Argv<Args>;
  run(args: Args, io: Io): Promise<ExitCode>;
}

/** A command whose flags are its own business. */
export interface AnyCommand {
  builder(yargs: Argv): Argv<unknown>;
  run(args: never, io: Io): Promise<ExitCode>;
}
