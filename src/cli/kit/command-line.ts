import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type AnyCommand,
  type ArgsOf,
  commandName,
  type CommandRow,
  type Flag,
  type Flags,
} from './command.js';
import { UsageError } from '../arguments/argument-errors.js';
import { type formatFlag, globalFlags } from '../arguments/common-flags.js';
import {
  argumentValues,
  flagValues,
  isDeclared,
  readWords,
  type ReadWords,
} from '../arguments/parser.js';
import { type SomeArgs, withoutProjectDefaults } from '../projects/project.js';
import type { CommandWord } from '../terminal/io.js';

/** A command line, read with the flags of its command. */
export interface CommandLine {
  readonly words: readonly CommandWord[];
  /** The name of the command as typed; undefined: none is named. */
  readonly command: string | undefined;
  /** Undefined if no command has that name. */
  readonly row: CommandRow | undefined;
  readonly loaded: AnyCommand | undefined;
  /** Values by camel-case name, with defaults; flags with a mistake are left out. */
  readonly args: EarlyArgs;
  /** The first mistake; undefined: the command can be run. */
  readonly mistake: Error | undefined;
  readonly help: boolean;
  readonly debug: boolean;
  /** The answer is printed as JSON, and so is an error. */
  readonly json: boolean;
  /** The flag at the end of the line whose value is missing, for completion. */
  readonly unfinished: Flag | undefined;
}

/**
 * Reads a command line. Flags may stand before and after the name of the command.
 *
 * Which word is the command depends on its flags: in `-f resolve update`, `resolve` is a file. So
 * each word that names a command is tried in turn. It is the command if it declares all flags
 * before it.
 */
export async function readCommandLine(
  commands: readonly CommandRow[],
  argv: readonly string[],
): Promise<CommandLine> {
  for (const name of new Set(argv)) {
    const row = commandRow(commands, name);
    if (row === undefined) continue;
    const loaded = await row.load();
    const flags = acceptedFlags(row, loaded);
    const read = readWords(argv, flags);
    const before = read.words.slice(0, argv.indexOf(name));
    const areDeclared = before.every(({ flag }) => flag !== undefined && isDeclared(flag, flags));
    if (read.args[0] === name && areDeclared) return commandLine(commands, read, { row, loaded });
  }
  const read = readWords(argv, globalFlags);
  const isHelp = read.args[0] === 'help';
  const isKnown = read.flags.every(({ name }) => isDeclared(name, globalFlags));
  if (isKnown && (isHelp || read.args.length === 0)) return commandLine(commands, read, {});
  // There is no known command, or flags of other commands are before it.
  const all = await Promise.all(commands.map(({ load }) => load()));
  const flags = { ...flagsOfAll(all), ...globalFlags };
  const readWithAllFlags = readWords(argv, flags);
  const row = commandRow(commands, readWithAllFlags.args[0]);
  return commandLine(
    commands,
    readWithAllFlags,
    row ? { row, loaded: await row.load() } : { flags },
  );
}

/** The flags of all commands, each with the choices of every command. */
function flagsOfAll(commands: readonly AnyCommand[]): Flags {
  const all: Record<string, Flag> = {};
  for (const [name, flag] of commands.flatMap(({ flags }) => Object.entries(flags))) {
    const choices = new Set([...(all[name]?.choices ?? []), ...(flag.choices ?? [])]);
    all[name] = { ...flag, ...(choices.size > 0 && { choices: [...choices] }) };
  }
  return all;
}

function commandRow(
  commands: readonly CommandRow[],
  name: string | undefined,
): CommandRow | undefined {
  return commands.find((row) => commandName(row) === name);
}

/** `named` is the command that is read for; without a row, flags of any command are accepted. */
function commandLine(
  commands: readonly CommandRow[],
  read: ReadWords,
  named: Partial<Pick<CommandLine, 'row' | 'loaded'>> & { readonly flags?: Flags },
): CommandLine {
  const { row, loaded } = named;
  const flags: Flags = named.flags ?? globalFlags;
  const isHelp = row === undefined && read.args[0] === 'help';
  const command = read.args[isHelp ? 1 : 0];
  const declared = row && loaded ? acceptedFlags(row, loaded) : flags;
  const flagResult = flagValues(read.flags, declared, row);
  const argumentResult =
    row && loaded && argumentValues(read.args.slice(1), loaded.positionals, row);
  const args: EarlyArgs = { ...flagResult.values, ...argumentResult?.values };
  return {
    words: read.words,
    command,
    row: isHelp ? commandRow(commands, command) : row,
    loaded,
    args,
    mistake: flagResult.mistake ?? argumentResult?.mistake,
    help: isHelp || args.help === true,
    debug: args.debug === true,
    json: read.flags.findLast(({ name }) => name === 'output')?.value === 'json',
    unfinished: read.unfinished === undefined ? undefined : declared[read.unfinished],
  };
}

/** Arguments, with the types of those that are read without running the command. */
type EarlyArgs = SomeArgs &
  Partial<ArgsOf<typeof globalFlags & typeof formatFlag>> & {
    readonly file?: readonly string[];
    readonly from?: readonly string[];
    readonly lock?: string;
    readonly out?: string;
  };

/**
 * The folder that the command runs in: each `-C` is relative to the one before. Links are resolved,
 * as a process started in the folder sees it: a parent folder is the parent of the real folder.
 */
export function workingFolder(
  { args: { directory: directories = [] } }: CommandLine,
  started: string,
): { readonly cwd: string; readonly mistake?: UsageError } {
  let cwd = started;
  for (const directory of directories) {
    const named = resolve(cwd, directory);
    if (statSync(named, { throwIfNoEntry: false })?.isDirectory() !== true) {
      const mistake = new UsageError(
        `\`-C ${directory}\`: there is no such folder`,
        'name a folder that exists',
      );
      return { cwd: started, mistake };
    }
    cwd = realpathSync(named);
  }
  return { cwd };
}

/**
 * Flags of the project, for commands that do not declare them: accepted without effect, and not in
 * their help. `warnOfOtherRelease` covers `--crossplane`.
 */
const projectFlags = {
  from: { array: true, describe: 'Where packages are' },
  offline: { type: 'boolean', describe: 'Never use the network' },
  cache: { describe: 'Folder that keeps what was downloaded' },
  crossplane: { describe: 'Crossplane release' },
  'allow-undigested': { type: 'boolean', describe: 'Lock versions without a digest' },
} as const satisfies Flags;

/** Commands that do not read or write a project. */
const WITHOUT_PROJECT = [
  'cache',
  'completion',
  'index',
  'krm',
  'merge-lock',
  'releases',
  'report',
  'schema',
];

function acceptedFlags(row: CommandRow, { flags }: AnyCommand): Flags {
  const hasProject = !WITHOUT_PROJECT.includes(commandName(row));
  return { ...(hasProject && projectFlags), ...withoutProjectDefaults(flags), ...globalFlags };
}
