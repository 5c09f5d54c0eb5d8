import { type CommandLine, readCommandLine, workingFolder } from './command-line.js';
import { commandName, type CommandRow, type Flags } from './command.js';
import { isPlainShellWord } from '../../base/escape.js';
import { timeBudget } from '../../base/time.js';
import { installableVersions } from '../../crossplane/constraints/installable-versions.js';
import { packageName } from '../../crossplane/packages/repository-names.js';
import { targetFor } from '../../crossplane/releases/target.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { globalFlags } from '../arguments/common-flags.js';
import { readLock } from '../files/lock-file.js';
import { findProject, lockOf, projectIn } from '../projects/project.js';
import type { SourceArgs } from '../sources/source-flags.js';
import type { Io } from '../terminal/io.js';

/**
 * Returns completions of the last word, without names that a shell would expand or run: they come
 * from lockfiles, which are untrusted input.
 */
export async function completionReplies(
  commands: readonly CommandRow[],
  words: readonly string[],
  io: Io,
): Promise<string[]> {
  const lastWord = words.at(-1) ?? '';
  const line = await readCommandLine(commands, words.slice(0, -1));
  const { command: name, loaded, unfinished } = line;
  if (unfinished !== undefined) return startingWith(lastWord, unfinished.choices ?? []);
  const flags = { ...loaded?.flags, ...globalFlags };
  if (lastWord.startsWith('-')) return startingWith(lastWord, flagWords(flags));
  if (name === undefined) return startingWith(lastWord, [...commands.map(commandName), 'help']);
  if (loaded === undefined) return [];
  const { cwd } = workingFolder(line, io.cwd);
  return startingWith(lastWord, [
    ...Object.values(loaded.positionals).flatMap(({ choices = [] }) => choices),
    ...(await knownNames(NAMES[name] ?? [], lastWord, line.args, { ...io, cwd })),
  ]);
}

function startingWith(current: string, words: readonly string[]): string[] {
  return words.filter((word) => word.startsWith(current) && isPlainShellWord(word));
}

function flagWords(flags: Flags): string[] {
  return Object.entries(flags).flatMap(([name, flag]) => [
    flag.default === true ? `--no-${name}` : `--${name}`,
    ...(flag.offAlias === undefined ? [] : [`--${flag.offAlias}`]),
  ]);
}

type NameKind = 'package' | 'version' | 'owned';

/** The kinds of names that the arguments of a command take. */
const NAMES: Readonly<Record<string, readonly NameKind[]>> = {
  why: ['package', 'owned'],
  update: ['package', 'version'],
  versions: ['package'],
  inspect: ['package', 'version'],
  lint: ['package', 'version'],
  search: ['owned'],
  remove: ['package'],
};

/** Returns names from the lockfile, and versions from sources that need no network. Returns none after an error. */
async function knownNames(
  wanted: readonly NameKind[],
  current: string,
  args: CommandLine['args'],
  io: Io,
): Promise<string[]> {
  if (wanted.length === 0) return [];
  try {
    const project = findProject(io.cwd) ?? projectIn('.', io.cwd);
    const named = args.lock ?? lockOf(project, io.cwd);
    const lock = await readLock({ ...NO_NETWORK, lock: named }, io);
    if (lock === undefined) return [];
    const { lockfile } = lock;
    if (wanted.includes('version') && current.includes('@')) {
      return await versionsOf(current, lockfile, args.from, io);
    }
    const repositories = lockfile.packages.map(({ repository }) => repository);
    const packages = repositories.flatMap((each) => [each, packageName(each)]);
    const ownedNames = lockfile.packages.flatMap(({ owns }) => owns.map(({ name }) => name));
    return [
      ...(wanted.includes('package') ? packages : []),
      ...(wanted.includes('owned') ? ownedNames : []),
    ];
  } catch {
    return [];
  }
}

const NO_NETWORK = {
  offline: true,
  cache: undefined,
  concurrency: 1,
  trace: false,
  insecureRegistry: undefined,
  pullSecret: undefined,
  timeout: timeBudget(Infinity),
} as const;

async function versionsOf(
  current: string,
  lockfile: Lockfile,
  from: SourceArgs['from'],
  io: Io,
): Promise<string[]> {
  const name = current.slice(0, current.indexOf('@'));
  const locked = lockfile.packages.find(
    ({ repository }) => repository === name || packageName(repository) === name,
  );
  const target = targetFor(lockfile.crossplane);
  if (locked === undefined || target === undefined) return [];
  const { openSources } = await import('../sources/source-flags.js');
  const reader = await openSources({ ...NO_NETWORK, from }, io);
  const tags = (await reader.tags(locked.repository, target)) ?? [];
  return installableVersions(tags, target).map(({ raw }) => `${name}@${raw}`);
}
