import type { Options, PositionalOptions } from 'yargs';
import type { AnyCommand } from '../command.js';
import { COMMANDS } from '../command-list.js';
import { globalFlags } from '../flags/global-flags.js';
import type { Io } from '../io/io.js';
import { knownNames } from './known-names.js';

/** Ways in which the last of the words may go on; empty: the shell may offer files. */
export async function completionReplies(words: readonly string[], io: Io): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const name = words.slice(0, -1).find((word) => !word.startsWith('-'));
  if (name === undefined) return startingWith(current, commandNames());
  const row = COMMANDS.find(({ usage }) => usage.split(' ')[0] === name);
  if (row === undefined) return name === 'help' ? startingWith(current, commandNames()) : [];
  const command = await row.load();
  const flags: Readonly<Record<string, Options>> = { ...command.flags, ...globalFlags };
  const before = flagNamed(words.at(-2) ?? '', flags);
  if (before !== undefined && before.type !== 'boolean') {
    return startingWith(current, (before.choices ?? []).map(String));
  }
  if (current.startsWith('-')) return startingWith(current, flagWords(flags));
  return startingWith(current, [
    ...choicesOf(command),
    ...(await knownNames({ command: name, words }, io)),
  ]);
}

function startingWith(current: string, words: readonly string[]): string[] {
  return words.filter((word) => word.startsWith(current));
}

function commandNames(): string[] {
  return [...COMMANDS.map(({ usage }) => usage.split(' ')[0]!), 'help'];
}

function flagWords(flags: Readonly<Record<string, Options>>): string[] {
  return Object.entries(flags).map(([name, options]) =>
    options.default === true ? `--no-${name}` : `--${name}`,
  );
}

function flagNamed(word: string, flags: Readonly<Record<string, Options>>): Options | undefined {
  if (word.startsWith('--')) return flags[word.slice(2)];
  return Object.values(flags).find(
    ({ alias }) => alias !== undefined && word === `-${String(alias)}`,
  );
}

function choicesOf({ positionals }: AnyCommand): string[] {
  return Object.values(positionals).flatMap(({ choices = [] }: PositionalOptions) =>
    choices.map(String),
  );
}
