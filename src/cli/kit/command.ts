import type { Io, RunIo } from '../terminal/io.js';
import type { Schema } from '../../base/json-schema.js';
import type { MakeReport, Report } from '../findings/report.js';
import { targetFor } from '../../crossplane/releases/target.js';

/** A value on the command line, as a flag or a positional argument declares it. */
interface Argument {
  /** Absent for text. A `boolean` flag takes no value. */
  readonly type?: 'number' | 'boolean' | undefined;
  readonly choices?: readonly string[] | undefined;
  /** A flag may be repeated; a positional takes all remaining arguments. */
  readonly array?: boolean | undefined;
  readonly default?: Scalar | undefined;
  readonly describe: string;
  // Each declaration has its own type of value, which `ArgsOf` infers from the result.
  readonly coerce?: ((value: never) => unknown) | undefined;
}

/** A flag of a command. */
export interface Flag extends Argument {
  /** One letter: `o` for `-o`. */
  readonly alias?: string | undefined;
  /** For a flag that is on by default: another spelling of `--no-NAME`, without dashes. */
  readonly offAlias?: string | undefined;
}

/** Flags by the name that they have on the command line: `allow-cycles`. */
export type Flags = Readonly<Record<string, Flag>>;

interface Positional extends Argument {
  readonly demandOption?: boolean | undefined;
}

/** Arguments that the usage line of a command names. */
export type Positionals = Readonly<Record<string, Positional>>;

/** The arguments that a command is run with, by the camel-case names of what it declares. */
export type ArgsOf<Declared extends Flags | Positionals> = {
  readonly [Name in keyof Declared as CamelCase<Name & string>]: ArgOf<Declared[Name]>;
};

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type ArgOf<Declared extends Argument> = Declared extends {
  readonly coerce: (value: never) => infer T;
}
  ? T
  : Declared extends { readonly demandOption: true } | { readonly default: Scalar }
    ? ArgumentValue<Declared>
    : ArgumentValue<Declared> | undefined;

type Scalar = string | number | boolean;

type ArgumentValue<Declared extends Argument> = Declared extends { readonly array: true }
  ? readonly One<Declared>[]
  : One<Declared>;

type One<Declared extends Argument> = Declared extends { readonly choices: readonly (infer T)[] }
  ? T
  : Declared extends { readonly type: 'boolean' }
    ? boolean
    : Declared extends { readonly type: 'number' }
      ? number
      : string;

/** How `--each` runs a command for many projects. */
interface EachOptions<Args> {
  /** Whether output of successful projects is shown; false if a row of the table is enough. */
  readonly showsData: boolean;
  /** `--shard` also splits the work for one project; absent: it only splits the list of projects. */
  readonly splitsOne?: true | undefined;
  /** Returns the arguments for each project, or a text with the reason to skip it. Absent: unchanged. */
  readonly argsForProjects?:
    ((args: readonly Args[], io: RunIo) => Promise<readonly (object | string)[]>) | undefined;
}

/** What a command takes, and what `--help` shows; `src/commands.ts` has its row. */
export interface CommandSyntax<P extends Positionals, F extends Flags> {
  readonly positionals: P;
  /** In the order in which `--help` lists them. */
  readonly flags: F;
  /** Shown by `--help`: a command line, and what it is for. */
  readonly examples?: readonly (readonly [line: string, about: string])[] | undefined;
  /** The last paragraph of `--help`. */
  readonly epilogue?: string | undefined;
  /** The command works on the working folder itself, never on a project in a parent folder. */
  readonly isInWorkingFolder?: true | undefined;
  /** How `--each` runs it; undefined if `--each` is not supported. */
  readonly each?: EachOptions<ArgsOf<P & F>> | undefined;
}

/** The document that a command prints with `-o json`: its schema, and its writer. */
export interface JsonOutput<in Value, in Args> {
  readonly schema: Schema;
  /** Returns the document without `schemaVersion`; undefined: nothing is printed. */
  readonly write: (value: Value, args: Args) => object | undefined;
}

/** A command, for code that only passes its arguments on; `defineCommand` declares one. */
export interface AnyCommand extends Omit<CommandSyntax<Positionals, Flags>, 'each'> {
  readonly each?: EachOptions<never> | undefined;
  /** The document of `-o json`; absent if the command has none. */
  readonly json?: (() => JsonOutput<never, never> | Promise<JsonOutput<never, never>>) | undefined;
  /** Runs the use case, prints its result and returns the exit code. Errors of users and sources are thrown. */
  run(args: never, io: Io): Promise<ExitCode>;
}

/** Groups of commands in `--help`. */
export const COMMAND_GROUPS = [
  'Every day',
  'Looking around',
  'Packages',
  'Supply',
  'Other',
] as const;

/** The row of a command in `--help`, and its module. */
export interface CommandRow {
  readonly group: (typeof COMMAND_GROUPS)[number];
  readonly usage: string;
  readonly about: string;
  /** Loads the command. Called only for the command that runs, so that start-up loads no others. */
  readonly load: () => Promise<AnyCommand>;
}

/** Returns the name of a command, which begins its usage line. */
export function commandName({ usage }: Pick<CommandRow, 'usage'>): string {
  return usage.split(' ')[0]!;
}

/** Exit codes of the process; scripts rely on these. */
export const EXIT = {
  done: 0,
  bug: 1,
  badInput: 2,
  unsolvable: 3,
  lockMismatch: 4,
  sourceFailed: 5,
  findings: 6,
  gaveUp: 7,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const EXIT_CODES = {
  ok: EXIT.done,
  solved: EXIT.done,
  findings: EXIT.findings,
  mismatch: EXIT.lockMismatch,
  unsolvable: EXIT.unsolvable,
  'gave-up': EXIT.gaveUp,
  'source-failed': EXIT.sourceFailed,
} as const;

/** The result of a command in one word; the statuses of an answer are among them. */
export type Outcome = keyof typeof EXIT_CODES;

/** Returns the exit code for a result. A result that is an exit code already stays as it is. */
export function exitCodeOf(result: Outcome | ExitCode): ExitCode {
  return typeof result === 'string' ? EXIT_CODES[result] : result;
}

/** How a result that is not the value of the command is printed. */
interface OtherPrinting {
  /** The document of `-o json`, without `schemaVersion`. */
  readonly json?: () => object | Promise<object>;
  /** Lines for stdout unless `-o json` is given. */
  readonly text?: readonly string[];
  /** Lines for stderr. */
  readonly notes: readonly string[];
  /** The report that `--format` writes. */
  readonly findings?: MakeReport;
  readonly headline?: string;
  readonly exit: Outcome;
}

/** A result that is not the value of the command, such as a missing lockfile. The runner prints it. */
export class OtherResult extends Error {
  readonly printing: OtherPrinting;

  constructor(printing: OtherPrinting) {
    super('a result that has not been printed');
    this.printing = printing;
  }
}

/** What `-o json` prints: one document, in the version of the format that pipelines rely on. */
export function jsonDocument(fields: object): string {
  return `${JSON.stringify({ schemaVersion: 1, ...fields }, null, 2)}\n`;
}

/** Adds what is known about the release that a document is for, if its schema has that field. */
function withReleaseFacts(document: object, { properties }: Schema): object {
  const { crossplane: release } = document as { readonly crossplane?: unknown };
  const fields = (properties ?? {}) as Schema;
  if (typeof release !== 'string' || fields['releaseFacts'] === undefined) return document;
  const knowledge = targetFor(release)?.knowledge;
  return knowledge === undefined ? document : { ...document, releaseFacts: knowledge };
}

type Awaitable<T> = T | Promise<T>;

/** A use case that returns a value, and how the value is printed. */
interface Behavior<Value, Args> {
  /** The use case. It prints no data, and throws `OtherResult` for a result that is not a `Value`. */
  readonly run: (args: Args, io: RunIo) => Promise<Value>;
  /** The document of `-o json`. */
  readonly json?: () => Awaitable<JsonOutput<Value, NoInfer<Args>>>;
  /** What goes to stdout unless `-o json` is given: lines, or a text that is printed as it is. */
  readonly text?: (value: Value, args: Args, io: RunIo) => Awaitable<readonly string[] | string>;
  /** Documents that `-o json` prints instead of one, a line each. */
  readonly jsonLines?: (value: Value, args: Args) => Awaitable<readonly object[]>;
  /** Streams the output in pieces. If it returns undefined, `run` is called instead. */
  readonly stream?: (args: Args, io: RunIo) => AsyncGenerator<string, Outcome> | undefined;
  /** The report that `--format` writes; `command` is the name as typed. */
  readonly findings?: (value: Value, args: Args, io: RunIo, command: string) => Awaitable<Report>;
  /** Lines for stderr, before the data. */
  readonly notes?: (value: Value, args: Args) => Awaitable<readonly string[]>;
  /** Lines for stderr, after the data. */
  readonly closingNotes?: (value: Value, args: Args, io: RunIo) => Awaitable<readonly string[]>;
  /** The result in one line, for a table of many projects; undefined: none. */
  readonly headline?: (value: Value, args: Args) => string | undefined;
  /** The result that the exit code stands for; without it, every run that returns a value is ok. */
  readonly exit?: (value: Value, args: Args) => Outcome | ExitCode;
  /** The text is the user's own data: it is printed unchanged unless stdout is a terminal. */
  readonly isVerbatim?: true | undefined;
}

/** Declares a command; the types of `run` follow from its flags and positionals. */
export function defineCommand<const P extends Positionals, const F extends Flags, Value>(
  definition: CommandSyntax<P, F> & Behavior<Value, ArgsOf<P & F>>,
): AnyCommand {
  return {
    ...definition,
    run: (args: ArgsOf<P & F>, io: Io) => runDefinition(definition, args, io),
  };
}

async function runDefinition<Value, Args>(
  definition: Behavior<Value, Args>,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  const { output } = args as { readonly output?: string };
  try {
    const pieces = definition.stream?.(args, io);
    if (pieces !== undefined) return await printPieces(pieces, io);
    const value = await definition.run(args, io);
    return await printValue(definition, value, args, output, io);
  } catch (error) {
    if (error instanceof OtherResult) return printOther(error.printing, output, io);
    throw error;
  }
}

async function printOther(
  { json, text = [], notes, findings, headline, exit }: OtherResult['printing'],
  output: string | undefined,
  io: Io,
): Promise<ExitCode> {
  if (findings !== undefined) io.report?.(findings);
  if (output !== 'json') for (const line of text) io.out(`${line}\n`);
  else if (json !== undefined) io.out(jsonDocument(await json()));
  if (headline !== undefined) io.headline(headline);
  for (const line of notes) io.note(line);
  return exitCodeOf(exit);
}

async function printPieces(pieces: AsyncGenerator<string, Outcome>, io: Io): Promise<ExitCode> {
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) return exitCodeOf(value);
    io.out(value);
  }
}

async function printValue<Value, Args>(
  definition: Behavior<Value, Args>,
  value: Value,
  args: Args,
  output: string | undefined,
  io: Io,
): Promise<ExitCode> {
  const { findings } = definition;
  if (findings !== undefined) {
    io.report?.(async (command) => findings(value, args, io, command));
  }
  for (const line of (await definition.notes?.(value, args)) ?? []) io.note(line);
  if (output === 'json') {
    for (const document of (await definition.jsonLines?.(value, args)) ?? []) {
      io.out(`${JSON.stringify({ schemaVersion: 1, ...document })}\n`);
    }
    const json = await definition.json?.();
    const document = json?.write(value, args);
    if (document !== undefined) io.out(jsonDocument(withReleaseFacts(document, json!.schema)));
  } else await printText(definition, value, args, io);
  const headline = definition.headline?.(value, args);
  if (headline !== undefined) io.headline(headline);
  for (const line of (await definition.closingNotes?.(value, args, io)) ?? []) io.note(line);
  return exitCodeOf(definition.exit?.(value, args) ?? EXIT.done);
}

async function printText<Value, Args>(
  { text, isVerbatim }: Behavior<Value, Args>,
  value: Value,
  args: Args,
  io: Io,
): Promise<void> {
  const made = (await text?.(value, args, io)) ?? [];
  if (typeof made !== 'string') for (const line of made) io.out(`${line}\n`);
  else if (isVerbatim && io.terminal.out() === undefined) io.verbatim(made);
  else if (made !== '') io.out(made);
}
