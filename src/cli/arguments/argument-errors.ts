import { InputError } from '../../base/errors.js';
import { didYouMean } from '../../base/messages.js';
import { commandName, type CommandRow } from '../kit/command.js';

/** A mistake on the command line (exit 2), with a hint about what to write instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

export function unknownCommandError(commands: readonly CommandRow[], typed: string): UsageError {
  const names = [...commands.map(commandName), 'help'];
  const meant = didYouMean(typed, names);
  return new UsageError(
    `there is no command \`${typed}\``,
    meant === undefined ? seeHelp(undefined) : `did you mean \`xpkg-resolve ${meant}\`?`,
  );
}

/** Returns the hint that names the help of a command; without a row, the list of commands. */
export function seeHelp(row: CommandRow | undefined): string {
  return row === undefined
    ? '`xpkg-resolve --help` lists commands'
    : `\`xpkg-resolve help ${commandName(row)}\` says what it takes`;
}

/** Returns the error for two conflicting flags. */
export function flagConflictError(a: string, b: string): InputError {
  return new InputError(`\`${a}\` and \`${b}\` contradict each other`, { hint: 'leave one out' });
}

/** Returns the error for a flag that has no effect without another flag. */
export function unusedFlagError(flag: string, other: string): InputError {
  return new InputError(`\`${flag}\` goes with ${other}`);
}

/** Throws an `InputError` unless the value is a whole number. Text on the command line becomes NaN. */
export function mustBeWhole(flag: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new InputError(`\`${flag}\` must be a whole number, ${least} or more`);
}
