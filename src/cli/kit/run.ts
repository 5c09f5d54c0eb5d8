import { resolve } from 'node:path';
import { byCodePoint } from '../../base/collections.js';
import { LINE_WIDTH } from '../../base/messages.js';
import { type AnyCommand, type CommandRow, EXIT, type ExitCode } from './command.js';
import { COMPLETE } from './completion-script.js';
import { readCommandLine, workingFolder, type CommandLine } from './command-line.js';
import type { EachArgs } from '../arguments/common-flags.js';
import type { SomeArgs } from '../projects/project.js';
import { unknownCommandError, UsageError } from '../arguments/argument-errors.js';
import { coloredIo, foldedIo, sanitizedIo } from '../terminal/output-filters.js';
import type { Io } from '../terminal/io.js';
import { toolVersion } from '../terminal/environment.js';
import { errorReport, reportError } from './errors.js';
import type { Reporting } from '../findings/reporting.js';

/** Runs one command line and returns the exit code. `onRead` gets the line before the command is run. */
export async function runCommandLine(
  commands: readonly CommandRow[],
  argv: readonly string[],
  started: Io,
  onRead: (line: CommandLine) => void = () => {},
): Promise<ExitCode> {
  if (argv[0] === COMPLETE) return printCompletions(commands, argv.slice(1), started);
  const line = await readCommandLine(commands, argv);
  onRead(line);
  const { cwd, mistake } = workingFolder(line, started.cwd);
  const unfiltered: Io = { ...started, cwd };
  const delayed = new Set<string>();
  const plain = sanitizedIo(coloredIo(unfiltered, line.args.color));
  // JSON is not folded: a line break inside a string would make it invalid.
  const shown = line.json ? plain : foldedIo(plain);
  const io: Io = {
    ...shown,
    words: line.words,
    note: line.args.quiet ? withoutNotes((text) => shown.note(text)) : (text) => shown.note(text),
    afterwards: (text) => delayed.add(text),
  };
  const printDelayedNotes = () => [...delayed].sort(byCodePoint).forEach((text) => io.note(text));
  let reporting: Reporting | undefined;
  let hasReported = false;
  try {
    if (mistake !== undefined) throw mistake;
    if (line.args.format !== undefined) {
      const { Reporting: Opened } = await import('../findings/reporting.js');
      reporting = new Opened(line, unfiltered);
    }
    const code = await dispatch(commands, line, reporting ? reportingIo(io, shown, reporting) : io);
    printDelayedNotes();
    hasReported = true;
    await reporting?.write(code);
    return code;
  } catch (error) {
    printDelayedNotes();
    const code = reportError(error, line, io);
    // If writing the report failed, it is not tried again.
    if (hasReported || reporting === undefined) return code;
    reporting.take(async (command) => errorReport(error, command));
    await reporting.write(code).catch((failed) => reportError(failed, line, io));
    return code;
  }
}

/** Returns the `Io` of a command with `--format`. Text goes to stderr if the report goes to stdout. */
function reportingIo(io: Io, shown: Io, reporting: Reporting): Io {
  const report: Io['report'] = (make) => reporting.take(make);
  if (!reporting.takesStdout) return { ...io, report };
  const out = (text: string) => {
    for (const line of text.replace(/\n$/, '').split('\n')) shown.note(line);
  };
  return { ...io, out, report };
}

/** Messages that --quiet does not silence. */
const IMPORTANT_MESSAGE = /^(?:error|warning|hint|SECURITY|trace)\b/;

/** Indented and empty lines continue the previous message. They are printed only if that message was. */
function withoutNotes(note: Io['note']): Io['note'] {
  let isImportant = true;
  return (text) => {
    if (/^\S/.test(text)) isImportant = IMPORTANT_MESSAGE.test(text);
    if (isImportant) note(text);
  };
}

async function dispatch(
  commands: readonly CommandRow[],
  line: CommandLine,
  io: Io,
): Promise<ExitCode> {
  const { command, row, loaded } = line;
  if (line.args.version) {
    io.out(`${toolVersion()}\n`);
    return EXIT.done;
  }
  if (line.help) return printHelp(commands, line, io);
  // A flag that no command has may stand before a value that is no command.
  if (row === undefined && line.mistake !== undefined) throw line.mistake;
  if (command === undefined) {
    throw new UsageError('name a command', '`xpkg-resolve --help` lists them');
  }
  if (loaded === undefined) throw unknownCommandError(commands, command);
  if (line.mistake !== undefined) throw line.mistake;
  const startedAt = performance.now();
  const code = await runCommand(loaded, line, io);
  if (line.args.verbose)
    io.note(`trace: took ${((performance.now() - startedAt) / 1000).toFixed(2)} s`);
  return code;
}

async function printHelp(
  commands: readonly CommandRow[],
  { command, row }: CommandLine,
  io: Io,
): Promise<ExitCode> {
  if (row === undefined && command !== undefined) throw unknownCommandError(commands, command);
  const { commandHelp, overview } = await import('./help.js');
  const width = Math.min(io.terminal.out() ?? io.columns(), LINE_WIDTH);
  const lines = row ? commandHelp(row, await row.load(), width) : overview(commands, width);
  io.out(`${lines.join('\n')}\n`);
  return EXIT.done;
}

async function runCommand(command: AnyCommand, line: CommandLine, io: Io): Promise<ExitCode> {
  const isTraced = line.args.verbose && 'trace' in command.flags;
  const args = isTraced ? { ...line.args, trace: true } : line.args;
  const isForMany = args['each'] !== undefined && command.each !== undefined;
  const splitsProjects = command.each !== undefined && command.each.splitsOne === undefined;
  if (args['shard'] !== undefined && args['each'] === undefined && splitsProjects) {
    throw new UsageError(
      '`--shard` is given without `--each`',
      "it splits sets: name them, `--each 'clusters/*/xpkg.yaml'`; or leave it out",
    );
  }
  // Finishes or undoes what a killed run left in the working folder.
  const { recoverWorkingFolder } = await import('../../base/files/recovery.js');
  await recoverWorkingFolder(io.cwd);
  if (!isForMany) return runInProject(command, args, io);
  await warnOfRelease(command, args, io);
  const { runEach } = await import('../projects/run-projects.js');
  return runEach(command, args as SomeArgs & EachArgs, line, io);
}

/** Runs a command on its project, which may be in a parent folder. */
async function runInProject(command: AnyCommand, args: SomeArgs, io: Io): Promise<ExitCode> {
  const { projectArgs, projectOf, projectWarnings } = await import('../projects/project.js');
  const project = projectOf(args, command, io.cwd);
  const folder = resolve(io.cwd, project.folder);
  if (project.folder !== '.') {
    const { recoverWorkingFolder } = await import('../../base/files/recovery.js');
    await recoverWorkingFolder(folder);
  }
  const completedArgs = projectArgs(args, command, project, io.cwd);
  if (completedArgs['write'] === true) {
    for (const line of projectWarnings(project, completedArgs, io.cwd)) io.note(`warning: ${line}`);
  }
  await warnOfRelease(command, completedArgs, io);
  return command.run(completedArgs as never, { ...io, projectFolder: folder });
}

/** Warns if `--crossplane` is given to a command that has no use for it. */
async function warnOfRelease(command: AnyCommand, args: SomeArgs, io: Io): Promise<void> {
  const { crossplane } = args;
  if (typeof crossplane !== 'string' || 'crossplane' in command.flags) return;
  const { warnOfOtherRelease } = await import('../arguments/target-flag.js');
  await warnOfOtherRelease(crossplane, args, io);
}

/** Prints the completions of a command line, one on each line, for the script of a shell. */
async function printCompletions(
  commands: readonly CommandRow[],
  words: readonly string[],
  started: Io,
): Promise<ExitCode> {
  const { completionReplies } = await import('./completion.js');
  const io = sanitizedIo({ ...started, note: () => {} });
  for (const reply of await completionReplies(commands, words, io)) io.out(`${reply}\n`);
  return EXIT.done;
}
