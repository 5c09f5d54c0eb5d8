import { didYouMean } from '../../text/did-you-mean.js';
import type { AnyCommand, Flags } from '../command.js';
import { COMMANDS, type CommandRow } from '../command-list.js';
import { UsageError } from '../usage-error.js';
import { globalFlags } from './global-flags.js';

/** What yargs says of flags, in our words; `%s` are the flag, what was given, and the choices. */
export const YARGS_WORDS = {
  'Argument: %s, Given: %s, Choices: %s': '`%s` cannot be %s: write one of %s',
  'Not enough arguments following: %s': '`--%s` needs a value',
};

/** May be repeated, and cannot be declared as a list: as one, yargs refuses `-f -`. */
const COERCED = ['file', 'f'];

/** A flag given twice becomes a list; those that may be repeated are declared as one. */
export function refuseRepeated(
  args: Readonly<Record<string, unknown>>,
  options: unknown,
  { usage }: CommandRow,
): true {
  // yargs hands over all that it knows of the options; its types speak of aliases alone.
  const { array } = options as { readonly array: readonly string[] };
  const words = Array.from(usage.matchAll(VARIADIC), ([, word]) => word!);
  const lists = new Set(['_', ...COERCED, ...words, ...array, ...array.map(camelCase)]);
  const twice = Object.keys(args).find((name) => Array.isArray(args[name]) && !lists.has(name));
  if (twice === undefined) return true;
  throw new UsageError(`\`${dashed(twice)}\` is given more than once`, 'give it once');
}

/** `[refs..]` in the usage line of a command. */
const VARIADIC = /[[<](\w+)\.\./g;

/** `--no-lock`: to yargs, any flag may be turned off, and false is then its value. */
export function refuseNegated(args: Readonly<Record<string, unknown>>, flags: Flags): true {
  const negated = Object.keys(flags).find((name) => {
    const given = [args[name]].flat();
    return flags[name]!.type !== 'boolean' && given.includes(false);
  });
  if (negated === undefined) return true;
  throw new UsageError(`\`--${negated}\` cannot be turned off`, `leave out \`--no-${negated}\``);
}

/** Refuses flags and arguments that the command does not take. */
export function refuseUnknown(
  args: Readonly<Record<string, unknown>>,
  row: CommandRow,
  command: AnyCommand,
): true {
  const [name] = row.usage.split(' ');
  const flags: Flags = { ...command.flags, ...globalFlags };
  const names = Object.keys(flags);
  const aliases = Object.values(flags).flatMap(({ alias }) => alias ?? []);
  const known = new Set(
    [...names, ...aliases, ...Object.keys(command.positionals)].flatMap((each) => [
      each,
      camelCase(each),
    ]),
  );
  const unknown = Object.keys(args).find((each) => !['_', '$0'].includes(each) && !known.has(each));
  const help = `\`xpkg-resolve help ${name}\` says what it takes`;
  if (unknown !== undefined) {
    const meant = didYouMean(unknown, names);
    throw new UsageError(
      `\`xpkg-resolve ${name}\` has no flag \`${dashed(unknown)}\``,
      meant === undefined ? help : `did you mean \`--${meant}\`?`,
    );
  }
  const [extra] = (args['_'] ?? []) as readonly (string | number)[];
  if (extra === undefined) return true;
  throw new UsageError(`\`xpkg-resolve ${name}\` does not take the argument \`${extra}\``, help);
}

/** What yargs finds wrong with the value of a flag or the number of arguments. */
export function yargsMistake(message: string, { usage }: CommandRow): UsageError {
  const short = message.startsWith('Not enough non-option arguments');
  const [typed, ...choices] = Array.from(message.matchAll(QUOTED), ([, word]) => word!);
  const meant = typed === undefined ? undefined : didYouMean(typed, choices);
  return new UsageError(
    short
      ? `\`xpkg-resolve ${usage}\` lacks an argument`
      : message.replace(/^Invalid values:\s*/, ''),
    meant === undefined
      ? `\`xpkg-resolve help ${usage.split(' ')[0]}\` says what it takes`
      : `did you mean \`${meant}\`?`,
  );
}

/** What was given for a flag, then the choices, as yargs quotes them. */
const QUOTED = /"([^"]*)"/g;

export function unknownCommand(typed: string): UsageError {
  const names = [...COMMANDS.map(({ usage }) => usage.split(' ')[0]!), 'help'];
  const meant = didYouMean(typed, names);
  return new UsageError(
    `there is no command \`${typed}\``,
    meant === undefined
      ? '`xpkg-resolve --help` lists them'
      : `did you mean \`xpkg-resolve ${meant}\`?`,
  );
}

function dashed(name: string): string {
  return `${name.length === 1 ? '-' : '--'}${name}`;
}

/** The second name that yargs gives to `insecure-registry`. */
function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
