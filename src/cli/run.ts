import yargs from 'yargs';
import type { Argv } from 'yargs';
import { byCodePoint } from '../text/code-point-order.js';
import { InputError } from '../model/input-error.js';
import { SourceError } from '../model/source-error.js';
import type { AnyCommand } from './command.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { sanitizedIo } from './io/sanitized-io.js';
import type { Io } from './io/io.js';

interface CommandRow {
  readonly usage: string;
  readonly about: string;
  /** Loaded only when the command is the one asked for: start-up matters. */
  readonly load: () => Promise<AnyCommand>;
}

const COMMANDS: readonly CommandRow[] = [
  {
    usage: 'resolve [refs..]',
    about: 'Find one version of every package, and write the lockfile and the bundle',
    load: async () => (await import('./commands/set/resolve-command.js')).resolveCommand,
  },
  {
    usage: 'update [packages..]',
    about: 'Move locked packages, and only what must follow',
    load: async () => (await import('./commands/set/update-command.js')).updateCommand,
  },
  {
    usage: 'verify [refs..]',
    about: 'Hold the lockfile against its sources and against what is asked for',
    load: async () => (await import('./commands/set/verify-command.js')).verifyCommand,
  },
  {
    usage: 'matrix [refs..]',
    about: 'Show which Crossplane releases can run the set, and what blocks the others',
    load: async () => (await import('./commands/set/matrix-command.js')).matrixCommand,
  },
  {
    usage: 'outdated',
    about: 'Show which locked packages have newer versions, within constraints and beyond',
    load: async () => (await import('./commands/set/outdated-command.js')).outdatedCommand,
  },
  {
    usage: 'why <name>',
    about: 'Show how a package, or the owner of a CRD, came to be locked',
    load: async () => (await import('./commands/set/why-command.js')).whyCommand,
  },
  {
    usage: 'tree',
    about: 'Show what is locked as a tree of who requires whom',
    load: async () => (await import('./commands/set/tree-command.js')).treeCommand,
  },
  {
    usage: 'constraint [range] [versions..]',
    about: 'Tell what a range admits on a Crossplane release, and why not',
    load: async () => (await import('./commands/package/constraint-command.js')).constraintCommand,
  },
  {
    usage: 'inspect <package>',
    about: 'Show what a package is, needs and owns on a Crossplane release',
    load: async () => (await import('./commands/package/inspect-command.js')).inspectCommand,
  },
  {
    usage: 'fuzz [refs..]',
    about: 'Look for versions and Crossplane releases with which your set breaks',
    load: async () => (await import('./commands/set/fuzz-command.js')).fuzzCommand,
  },
  {
    usage: 'lint <package>',
    about: 'Check a package as a Crossplane release would, and for what people regret',
    load: async () => (await import('./commands/package/lint-command.js')).lintCommand,
  },
  {
    usage: 'schema <document>',
    about: 'Print the JSON Schema of a document that is read or written',
    load: async () => (await import('./commands/schema-command.js')).schemaCommand,
  },
  {
    usage: 'render',
    about: 'Write the bundle and the Lock again, from the lockfile alone',
    load: async () => (await import('./commands/set/render-command.js')).renderCommand,
  },
  {
    usage: 'index [repositories..]',
    about: 'Write what the sources hold as an index file',
    load: async () => (await import('./commands/supply/index-command.js')).indexCommand,
  },
  {
    usage: 'vendor <folder>',
    about: 'Copy the images of all locked packages into an OCI layout',
    load: async () => (await import('./commands/supply/vendor-command.js')).vendorCommand,
  },
  {
    usage: 'push <reference>',
    about: 'Store lockfile and bundle at a registry, where `oras pull` and --lock find them',
    load: async () => (await import('./commands/supply/push-command.js')).pushCommand,
  },
  {
    usage: 'cache <action>',
    about: 'Tell what was downloaded and kept, where it is, or take it away',
    load: async () => (await import('./commands/supply/cache-command.js')).cacheCommand,
  },
];

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
      (y: Argv) => (listed === asked ? loaded!.builder(y) : y),
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

/** How yargs names `insecure-registry` a second time. */
function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The command asked for, or the one that a shell wants completed: `FLAG xpkg-resolve NAME …`. */
function commandName(argv: readonly string[]): string | undefined {
  if (argv[0] === '--get-yargs-completions') return argv[2];
  return argv.find((word) => !word.startsWith('-'));
}

/** A message may have several lines, each of which is made harmless by itself. */
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
    // Of the user's own files there may be several things to say; a registry gets one line.
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
