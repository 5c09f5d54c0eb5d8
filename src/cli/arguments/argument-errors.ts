import { InputError } from '../../base/errors.js';
import { didYouMean } from '../../base/messages.js';
import type { CommandRow, Flags } from '../kit/command.js';

/** A mistake on the command line (exit 2), with a hint about what to write instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** Returns the error for an unknown flag of a command; without a row, of every command. */
export function unknownFlag(
  { name: typed, isShort }: { readonly name: string; readonly isShort: boolean },
  flags: Flags,
  row: CommandRow | undefined,
): UsageError {
  const names = Object.entries(flags).flatMap(([name, { offAlias = [] }]) =>
    [name, offAlias].flat(),
  );
  const meant = didYouMean(typed, names);
  const shown = `${isShort ? '-' : '--'}${typed}`;
  return new UsageError(
    row === undefined
      ? `there is no flag \`${shown}\``
      : `\`xpkg-resolve ${nameOf(row)}\` has no flag \`${shown}\``,
    meant === undefined ? seeHelp(row) : `did you mean \`--${meant}\`?`,
  );
}

export function missingValue(name: string, row: CommandRow | undefined): UsageError {
  return new UsageError(`\`--${name}\` needs a value`, seeHelp(row));
}

export function superfluousValue(name: string, value: string): UsageError {
  return new UsageError(`\`--${name}\` takes no value`, `leave out the value \`${value}\``);
}

export function cannotBeTurnedOff(name: string): UsageError {
  return new UsageError(`\`--${name}\` cannot be turned off`, `leave out \`--no-${name}\``);
}

export function givenTwice(name: string): UsageError {
  return new UsageError(`\`--${name}\` is given more than once`, 'give it once');
}

/** `name` is the name of an argument, or of a flag with its dashes. */
export function unknownChoice(
  name: string,
  value: string,
  choices: readonly string[],
  row: CommandRow | undefined,
): UsageError {
  const meant = didYouMean(value, choices);
  const listed = choices.map((choice) => `"${choice}"`).join(', ');
  return new UsageError(
    `\`${name}\` cannot be "${value}": write one of ${listed}`,
    meant === undefined ? seeHelp(row) : `did you mean \`${meant}\`?`,
  );
}

export function unknownArgument(word: string, row: CommandRow): UsageError {
  return new UsageError(
    `\`xpkg-resolve ${nameOf(row)}\` does not take the argument \`${word}\``,
    seeHelp(row),
  );
}

export function missingArgument(row: CommandRow): UsageError {
  return new UsageError(`\`xpkg-resolve ${row.usage}\` lacks an argument`, seeHelp(row));
}

export function unknownCommand(commands: readonly CommandRow[], typed: string): UsageError {
  const names = [...commands.map(nameOf), 'help'];
  const meant = didYouMean(typed, names);
  return new UsageError(
    `there is no command \`${typed}\``,
    meant === undefined ? seeHelp(undefined) : `did you mean \`xpkg-resolve ${meant}\`?`,
  );
}

function seeHelp(row: CommandRow | undefined): string {
  return row === undefined
    ? '`xpkg-resolve --help` lists commands'
    : `\`xpkg-resolve help ${nameOf(row)}\` says what it takes`;
}

function nameOf({ usage }: CommandRow): string {
  return usage.split(' ')[0]!;
}

/** Returns the error for two conflicting flags. */
export function conflictingFlags(a: string, b: string): InputError {
  return new InputError(`\`${a}\` and \`${b}\` contradict each other`, { hint: 'leave one out' });
}

/** Returns the error for a flag that has no effect without another flag. */
export function flagWithoutEffect(flag: string, other: string): InputError {
  return new InputError(`\`${flag}\` goes with ${other}`);
}

/** Throws an `InputError` unless the value is a whole number. Text on the command line becomes NaN. */
export function mustBeWhole(flag: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new InputError(`\`${flag}\` must be a whole number, ${least} or more`);
}
