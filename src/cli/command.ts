import type { ArgumentsCamelCase, InferredOptionType, Options, PositionalOptions } from 'yargs';
import type { ExitCode } from './exit-code.js';
import type { Io } from './io/io.js';

/** Flags as yargs takes them, by the name they have on the command line: `allow-cycles`. */
export type Flags = Readonly<Record<string, Options>>;

/** Arguments that the usage line of a command names. */
export type Positionals = Readonly<Record<string, PositionalOptions>>;

/**
 * What a command is given for the flags and positionals that it declares. yargs gives
 * `--allow-cycles` under two names; of these the one with a dash is left out.
 */
export type ArgsOf<Declared extends Flags | Positionals> = {
  readonly [Name in keyof Parsed<Declared> as WithoutDash<Name>]: Readonly<Parsed<Declared>[Name]>;
};

type Parsed<Declared extends Flags | Positionals> = ArgumentsCamelCase<{
  [Name in keyof Declared]: InferredOptionType<Declared[Name]>;
}>;

/** Leaves out the catch-all `[name: string]: unknown` of yargs, too. */
type WithoutDash<Name> = string extends Name
  ? never
  : Exclude<Name, `${string}-${string}` | number | symbol | '_' | '$0'>;

/** How a command is run for many sets, each with arguments of its own. */
interface EachSet<Args> {
  /** What it prints for a set that fares well is shown; false: a row of the table says enough. */
  readonly showsData: boolean;
  /** `--shard` splits the work on one set as well; absent: it splits sets alone. */
  readonly splitsOne?: true | undefined;
  /** The arguments for every set; a text: why the set is passed over. Absent: as they are. */
  readonly forSets?:
    ((args: readonly Args[], io: Io) => Promise<readonly (object | string)[]>) | undefined;
}

/** One command: what it takes, and what it does. `command-list.ts` has a row for each. */
interface Command<P extends Positionals, F extends Flags> {
  readonly positionals: P;
  /** In the order in which `--help` lists them. */
  readonly flags: F;
  /** Shown by `--help`: a command line, and what it is for. */
  readonly examples?: readonly (readonly [line: string, about: string])[] | undefined;
  /** The last paragraph of `--help`. */
  readonly epilogue?: string | undefined;
  /** What `--each` makes of it; undefined: it is run for one set alone. */
  readonly each?: EachSet<ArgsOf<P & F>> | undefined;
  /**
   * Calls the library, prints, and says how it went. Errors are thrown: `InputError`,
   * `SourceError`, anything else is a bug.
   */
  run(args: ArgsOf<P & F>, io: Io): Promise<ExitCode>;
}

/** A command, for code that only passes its arguments on. */
export type AnyCommand = Omit<Command<Positionals, Flags>, 'run' | 'each'> & {
  readonly each?: EachSet<never> | undefined;
  run(args: never, io: Io): Promise<ExitCode>;
};

/** Ties the type of `run`'s arguments to the flags and positionals that stand beside it. */
export function command<const P extends Positionals, const F extends Flags>(
  declared: Command<P, F>,
): AnyCommand {
  return declared;
}
