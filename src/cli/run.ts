import type { Argv } from 'yargs';
import { byCodePoint } from '../text/code-point-order.js';
import { LINE_WIDTH } from '../text/wrap.js';
import type { AnyCommand } from './command.js';
import { COMMANDS, type CommandRow } from './command-list.js';
import { COMPLETE } from './completion/script.js';
import { readCommandLine, type CommandLine } from './command-line.js';
import type { EachArgs } from './each/each-flags.js';
import type { SomeArgs } from './each/set-args.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { globalFlags } from './flags/global-flags.js';
import {
  refuseNegated,
  refuseRepeated,
  refuseUnknown,
  unknownCommand,
  yargsMistake,
  YARGS_WORDS,
} from './flags/mistakes.js';
import { colouredIo } from './io/coloured-io.js';
import { foldedIo } from './io/folded-io.js';
import type { Io } from './io/io.js';
import { sanitizedIo } from './io/sanitized-io.js';
import { toolVersion } from './io/tool-version.js';
import { errorReport, reportError } from './report-error.js';
import type { Reporting } from './reporting/reporting.js';
import { UsageError } from './usage-error.js';

/** Runs one command line and says how the process should end. */
export async function runCli(argv: readonly string[], given: Io): Promise<ExitCode> {
  if (argv[0] === COMPLETE) return complete(argv.slice(1), given);
  const line = readCommandLine(argv);
  const late = new Set<string>();
  const plain = sanitizedIo(colouredIo(given, line.color));
  // JSON stays as it is: a string with a line break in it is none.
  const shown = line.json ? plain : foldedIo(plain);
  const io: Io = {
    ...shown,
    argv,
    note: line.quiet ? quieted((text) => shown.note(text)) : (text) => shown.note(text),
    afterwards: (text) => late.add(text),
  };
  const tellLate = () => [...late].sort(byCodePoint).forEach((text) => io.note(text));
  let reporting: Reporting | undefined;
  let isTold = false;
  try {
    reporting = line.formats.length === 0 ? undefined : await openReporting(line, given);
    const code = await dispatch(argv, line, reporting ? reported(io, shown, reporting) : io);
    tellLate();
    isTold = true;
    await reporting?.write(code);
    return code;
  } catch (error) {
    tellLate();
    const code = reportError(error, line, io);
    // A report that cannot be written is not tried again.
    if (isTold || reporting === undefined) return code;
    reporting.take(async (command) => errorReport(error, command));
    await reporting.write(code).catch((failed) => reportError(failed, line, io));
    return code;
  }
}

async function openReporting(line: CommandLine, given: Io): Promise<Reporting> {
  const { Reporting: Opened } = await import('./reporting/reporting.js');
  return new Opened(line, given);
}

/** What a command sees where its outcome is reported: text makes room for what is printed. */
function reported(io: Io, shown: Io, reporting: Reporting): Io {
  const report = (make: Parameters<NonNullable<Io['report']>>[0]) => reporting.take(make);
  if (!reporting.takesStdout) return { ...io, report };
  const out = (text: string) =>
    text
      .replace(/\n$/, '')
      .split('\n')
      .forEach((each) => shown.note(each));
  return { ...io, out, report };
}

/** What --quiet does not silence. */
const MATTERS = /^(?:error|warning|hint|SECURITY|trace)\b/;

/** Lines that are indented or empty go on with what stands before them, and are told if it was. */
function quieted(note: Io['note']): Io['note'] {
  let matters = true;
  return (text) => {
    if (/^\S/.test(text)) matters = MATTERS.test(text);
    if (matters) note(text);
  };
}

async function dispatch(argv: readonly string[], line: CommandLine, io: Io): Promise<ExitCode> {
  if (line.version) return printVersion(io);
  const asked = COMMANDS.find(({ usage }) => usage.split(' ')[0] === line.command);
  if (line.help) return printHelp(asked, line, io);
  if (line.command === undefined) {
    throw new UsageError('name a command', '`xpkg-resolve --help` lists them');
  }
  if (asked === undefined) throw unknownCommand(line.command);
  const since = performance.now();
  const code = await runCommand(argv, asked, line, io);
  if (line.verbose) io.note(`trace: took ${((performance.now() - since) / 1000).toFixed(2)} s`);
  return code;
}

function printVersion(io: Io): ExitCode {
  io.out(`${toolVersion()}\n`);
  return EXIT.done;
}

async function printHelp(
  asked: CommandRow | undefined,
  { command }: CommandLine,
  io: Io,
): Promise<ExitCode> {
  if (asked === undefined && command !== undefined) throw unknownCommand(command);
  const { overview } = await import('./help/overview.js');
  const { commandHelp } = await import('./help/command-help.js');
  const width = Math.min(io.terminal.out() ?? io.columns(), LINE_WIDTH);
  const lines = asked ? commandHelp(asked, await asked.load(), width) : overview(width);
  io.out(`${lines.join('\n')}\n`);
  return EXIT.done;
}

async function runCommand(
  argv: readonly string[],
  asked: CommandRow,
  line: CommandLine,
  io: Io,
): Promise<ExitCode> {
  const [{ default: yargs }, command] = await Promise.all([import('yargs'), asked.load()]);
  const [name, ...positionals] = asked.usage.split(' ');
  let code: ExitCode = EXIT.done;
  const cli = yargs()
    .scriptName('xpkg-resolve')
    .updateStrings(YARGS_WORDS)
    .help(false)
    .version(false)
    .options(globalFlags)
    .check((args) => refuseNegated(args, { ...command.flags, ...globalFlags }))
    .check(
      (args, options) =>
        refuseRepeated(args, options, asked) && refuseUnknown(args, asked, command),
    )
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      // What yargs throws of itself has a message as well; what a command throws has none.
      if (error instanceof UsageError || (message === null && error)) throw error;
      throw yargsMistake(message ?? 'bad usage', asked);
    })
    .command(
      // By its name, yargs would make the text of its help before it runs, and keep it for later.
      ['$0', ...positionals].join(' '),
      asked.about,
      (y: Argv) => declare(command, y),
      async (args) => {
        refuseShardOfOne(args, command);
        // Whatever a killed run left in the working folder, this one finishes or undoes.
        const { settleWorkingFolder } = await import('../files/journal/settle.js');
        await settleWorkingFolder(io.cwd);
        code = await (isForMany(args, command)
          ? (await import('./each/run-each.js')).runEach(command, args, line, io)
          : command.run(args as never, io));
      },
    );
  const words = argv.toSpliced(argv.indexOf(name!), 1);
  const traced = line.verbose && 'trace' in command.flags && !argv.includes('--trace');
  await cli.parseAsync(traced ? ['--trace', ...words] : words);
  return code;
}

/** Most commands have nothing to split but sets. */
function refuseShardOfOne(
  { shard, each }: Readonly<Record<string, unknown>>,
  command: AnyCommand,
): void {
  if (shard === undefined || each !== undefined || command.each === undefined) return;
  if (command.each.splitsOne) return;
  throw new UsageError(
    '`--shard` is given without `--each`',
    "it splits sets: name them, `--each 'clusters/*/xpkg.yaml'`; or leave it out",
  );
}

/** Whether the command is to be run for each of many sets. */
function isForMany(
  args: Readonly<Record<string, unknown>>,
  { each }: AnyCommand,
): args is SomeArgs & EachArgs {
  return args['each'] !== undefined && each !== undefined;
}

/** Tells yargs what a command takes. */
function declare({ positionals, flags }: AnyCommand, cli: Argv): Argv {
  for (const [name, options] of Object.entries(positionals)) cli.positional(name, options);
  return cli.options(flags);
}

/** Prints how a command line may go on, a line each, for the script of a shell. */
async function complete(words: readonly string[], given: Io): Promise<ExitCode> {
  const { completionReplies } = await import('./completion/replies.js');
  const io = sanitizedIo({ ...given, note: () => {} });
  for (const reply of await completionReplies(words, io)) io.out(`${reply}\n`);
  return EXIT.done;
}
