import yargs from 'yargs';
import type { Argv } from 'yargs';
import { byCodePoint } from '../text/code-point-order.js';
import { InputError } from '../model/input-error.js';
import { SourceError } from '../model/source-error.js';
import type { AnyCommand } from './command.js';
import { COMMANDS } from './command-list.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { sanitizedIo } from './io/sanitized-io.js';
import type { Io } from './io/io.js';

/** The flag by which a shell asks yargs how a command line may go on. */
const COMPLETIONS = '--get-yargs-completions';

class UsageError extends Error {}

/** Runs one command line and says how the process should end. */
export async function runCli(argv: readonly string[], given: Io): Promise<ExitCode> {
  const debug = argv.includes('--debug');
  const late = new Set<string>();
  const io: Io = { ...sanitizedIo(given), afterwards: (line) => late.add(line) };
  const tellLate = () => [...late].sort(byCodePoint).forEach((line) => io.note(line));
  try {
    const code = await dispatch(argv, io);
    tellLate();
    return code;
  } catch (error) {
    tellLate();
    return report(error, io, debug);
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  const name = commandName(argv);
  const asked = COMMANDS.find((command) => command.usage.split(' ')[0] === name);
  const loaded = await asked?.load();
  const cli = yargs()
    .scriptName('xpkg-resolve')
    .usage('$0 <command>\n\nResolves and locks Crossplane packages, ahead of time and offline.')
    .option('debug', { type: 'boolean', describe: 'Show stack traces', global: true })
    .strict()
    .check(once)
    .exitProcess(false)
    .completion('completion', 'Print a script that makes a shell complete commands and flags')
    .demandCommand(1, 'Name a command; `--help` lists them.')
    .fail((message: string | null, error: Error | undefined) => {
      // What yargs throws of itself has a message as well; what a command throws has none.
      if (message === null && error) throw error;
      const short = message?.startsWith('Not enough non-option arguments') === true;
      const missing = short && asked && `\`xpkg-resolve ${asked.usage}\` lacks an argument`;
      throw new UsageError(missing || (message ?? 'bad usage'));
    });
  for (const listed of COMMANDS) {
    cli.command(
      listed.usage,
      listed.about,
      (y: Argv) => (listed === asked ? declare(loaded!, y, listsFlags(argv)) : y),
      async (args) => {
        code = await loaded!.run(args as never, io);
      },
    );
  }
  await cli.parseAsync([...argv], {}, (_error, _args, output) => {
    if (output !== '') io.out(`${output}\n`);
  });
  return code;
}

/**
 * Tells yargs what a command takes.
 *
 * yargs lays out the help of every command that it runs, which takes ten times as long as reading
 * the command line does; flags that it does not list are hidden from that.
 */
function declare(command: AnyCommand, cli: Argv, listed: boolean): Argv {
  const { positionals, flags, examples = [], epilogue } = command;
  for (const [name, options] of Object.entries(positionals)) cli.positional(name, options);
  for (const [line, about] of examples) cli.example(line, about);
  if (epilogue !== undefined) cli.epilogue(epilogue);
  cli.options(flags);
  if (!listed) Object.keys(flags).forEach((flag) => cli.hide(flag));
  return cli;
}

/** Whether yargs may print the flags of a command: as help, or for a shell to complete. */
function listsFlags(argv: readonly string[]): boolean {
  return argv[0] === COMPLETIONS || argv.some((word) => word.includes('help'));
}

/** May be repeated, and cannot be declared as a list: as one, yargs refuses `-f -`. */
const COERCED = ['file', 'f'];

/** A flag given twice becomes a list; those that may be repeated are declared as one. */
function once(args: Readonly<Record<string, unknown>>, options: unknown): true {
  // yargs hands over all that it knows of the options; its types speak of aliases alone.
  const { array } = options as { readonly array: readonly string[] };
  const lists = new Set(['_', ...COERCED, ...array, ...array.map(camelCase)]);
  const twice = Object.keys(args).find((name) => Array.isArray(args[name]) && !lists.has(name));
  if (twice === undefined) return true;
  throw new UsageError(`\`${twice.length === 1 ? '-' : '--'}${twice}\` is given more than once`);
}

/** The second name that yargs gives to `insecure-registry`. */
function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The command asked for, or the one that a shell wants completed: `FLAG xpkg-resolve NAME …`. */
function commandName(argv: readonly string[]): string | undefined {
  if (argv[0] === COMPLETIONS) return argv[2];
  return argv.find((word) => !word.startsWith('-'));
}

/** Prints a message of several lines line by line: `note` would escape the line feeds. */
function noteLines(text: string, io: Io): void {
  for (const line of text.split('\n')) io.note(line);
}

function report(error: unknown, io: Io, debug: boolean): ExitCode {
  if (error instanceof UsageError) {
    noteLines(`error: ${error.message}`, io);
    io.note('hint: `--help` after a command says what it takes');
    return EXIT.badInput;
  }
  if (error instanceof InputError || error instanceof SourceError) {
    const message = `error: ${error.message}`;
    // Of a user's file several problems may be told; a registry's text gets one line.
    if (error instanceof InputError) noteLines(message, io);
    else io.note(message);
    if (error.hint !== undefined) io.note(`hint: ${error.hint}`);
    if (debug) noteLines(error.stack ?? '', io);
    return error instanceof InputError ? EXIT.badInput : EXIT.sourceFailed;
  }
  io.note(
    `error: a bug in xpkg-resolve: ${error instanceof Error ? error.message : String(error)}`,
  );
  if (debug && error instanceof Error) noteLines(error.stack ?? '', io);
  else io.note('hint: run again with --debug and report what it shows');
  return EXIT.bug;
}
