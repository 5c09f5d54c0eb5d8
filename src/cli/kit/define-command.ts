import type { Report } from '../findings/report.js';
import type { Io, RunIo } from '../terminal/io.js';
import {
  type AnyCommand,
  type ArgsOf,
  type CommandSyntax,
  EXIT,
  type ExitCode,
  exitCodeOf,
  type Flags,
  jsonDocument,
  type JsonOutput,
  OtherResult,
  type Outcome,
  type Positionals,
} from './command.js';

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
  /** Data that is printed piece by piece, instead of `run`; undefined: `run` is called. */
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
    const document = (await definition.json?.())?.write(value, args);
    if (document !== undefined) io.out(jsonDocument(document));
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
