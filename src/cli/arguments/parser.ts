import type { CommandWord } from '../terminal/io.js';
import { Parser } from 'yargs/helpers';
import {
  commandName,
  type CommandRow,
  type Flag,
  type Flags,
  type Positionals,
} from '../kit/command.js';
import { seeHelp, UsageError } from './argument-errors.js';
import { didYouMean } from '../../base/messages.js';

/** A flag as it was typed. */
interface TypedFlag {
  /** The long name without dashes, `no-` included; as typed if it is not declared. */
  readonly name: string;
  readonly value: string | undefined;
  /** Typed with one dash. */
  readonly isShort: boolean;
}

/** Words, sorted into flags and arguments. */
interface ParsedWords {
  readonly flags: readonly TypedFlag[];
  /** Words that are neither flags nor their values. */
  readonly args: readonly string[];
  /** The last flag, if its value is missing. */
  readonly unfinished: string | undefined;
}

/** A command line; the first of `args` is the name of the command. */
export interface ReadWords extends ParsedWords {
  readonly words: readonly CommandWord[];
}

/** Splits words into flags, their values and arguments; an undeclared flag takes no value. */
export function readWords(argv: readonly string[], flags: Flags): ReadWords {
  const parse = parserOf(flags);
  const words: CommandWord[] = argv.map((text) => ({ text, flag: undefined }));
  const typed: TypedFlag[] = [];
  const args: string[] = [];
  const dashes = argv.indexOf('--');
  const end = dashes === -1 ? argv.length : dashes;
  let unfinished: string | undefined;
  // The parser returns no positions, so it gets one word at a time, and its value if it needs one.
  for (let index = 0; index < end; index++) {
    const text = argv[index]!;
    const parsedAlone = parse(text, []);
    const takesNextWord = parsedAlone.unfinished !== undefined && index + 1 < end;
    const parsedWithNext = takesNextWord ? parse(text, [argv[index + 1]!]) : parsedAlone;
    const hasValue = parsedWithNext.unfinished === undefined;
    const read = hasValue ? parsedWithNext : parsedAlone;
    args.push(...read.args);
    typed.push(...read.flags);
    unfinished = read.unfinished;
    const flag = read.flags.at(-1)?.name;
    words[index] = { text, flag };
    if (takesNextWord && hasValue) {
      index++;
      words[index] = { text: argv[index]!, flag };
    }
  }
  return { words, flags: typed, args: [...args, ...argv.slice(end + 1)], unfinished };
}

/** Returns a function that parses a word, and the next one if that is its value. */
function parserOf(flags: Flags): (word: string, next: readonly string[]) => ParsedWords {
  const valued = Object.keys(flags).filter((name) => takesValue(name, flags));
  const options: Parser.Options = {
    // Not `boolean`, with which the parser reads `--offline=maybe` as `--no-offline`; and not
    // `alias`, with which it reads `--o` as `-o`.
    string: valued,
    narg: Object.fromEntries(valued.map((name) => [name, 1])),
    configuration: {
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'duplicate-arguments-array': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    },
  };
  return (word, next) => {
    const isShort = !word.startsWith('--');
    const words = separateShortValue(word, flags);
    const { argv, error } = Parser.detailed([...words, ...next], options);
    const read: TypedFlag[] = [];
    let args: readonly string[] = [];
    for (const [key, value] of Object.entries<string | true | readonly string[]>(argv)) {
      // Arguments are an array; a flag `--_` replaces it.
      if (typeof value === 'object') args = value;
      else {
        // The parser changes one name.
        const long = key === '___proto___' ? '__proto__' : key;
        const name = isShort ? longName(key, flags) : long;
        read.push({ name, value: value === true ? undefined : value, isShort });
      }
    }
    // The parser ignores words such as `-=.=`.
    if (read.length + args.length === 0 && error === null) {
      read.push({ name: word.slice(1), value: undefined, isShort });
    }
    if (error === null) return { flags: read, args, unfinished: undefined };
    // With these options there is one error: the value of the last flag is missing.
    const unfinished = words.at(-1)!.slice('--'.length);
    read.push({ name: unfinished, value: undefined, isShort });
    return { flags: read, args, unfinished };
  };
}

/** Writes `-qojson` as `-q --output=json`: the parser would read six short flags. */
function separateShortValue(word: string, flags: Flags): string[] {
  const letters = /^-[^-=]/.test(word) ? word.split('=', 1)[0]!.split('') : [];
  const at = letters.findIndex((letter) => takesValue(longName(letter, flags), flags));
  if (at === -1) return [word];
  const value = word.slice(at + 1);
  const separator = value === '' || value.startsWith('=') ? '' : '=';
  const long = `--${longName(letters[at]!, flags)}${separator}${value}`;
  return at === 1 ? [long] : [word.slice(0, at), long];
}

/** Returns the name of the flag with the short name; the short name if there is none. */
function longName(letter: string, flags: Flags): string {
  return Object.keys(flags).find((name) => flags[name]!.alias === letter) ?? letter;
}

function takesValue(name: string, flags: Flags): boolean {
  return Object.hasOwn(flags, name) && flags[name]!.type !== 'boolean';
}

/** Values by camel-case name, and the first mistake. */
interface Values {
  readonly values: Readonly<Record<string, unknown>>;
  readonly mistake: Error | undefined;
}

/** The values of declared flags, with defaults; a flag with a mistake has none. */
export function flagValues(
  typed: readonly TypedFlag[],
  flags: Flags,
  row: CommandRow | undefined,
): Values {
  const given = new Map<string, unknown>();
  const mistakes = new Mistakes();
  for (const each of typed) {
    mistakes.catch(() => {
      const declared = declaredFlag(each.name, flags);
      if (declared === undefined) throw unknownFlagError(each, flags, row);
      const { name, flag } = declared;
      const value = flagValue(declared, each.value, row);
      if (flag.array) given.set(name, [...((given.get(name) ?? []) as unknown[]), value]);
      else if (!given.has(name) || flag.type === 'boolean') given.set(name, value);
      else throw new UsageError(`\`--${name}\` is given more than once`, 'give it once');
    });
  }
  const values: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(flags)) {
    const value = given.get(name) ?? flag.default;
    mistakes.catch(() => {
      values[camelCase(name)] =
        flag.coerce && value !== undefined ? flag.coerce(value as never) : value;
    });
  }
  return { values, mistake: mistakes.first };
}

/** Collects errors, so that all words are read whichever of them is wrong. */
class Mistakes {
  first: Error | undefined;

  catch(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.first ??= error as Error;
    }
  }
}

interface DeclaredFlag {
  readonly name: string;
  readonly flag: Flag;
  /** `--no-NAME`, or another word for it. */
  readonly isOff: boolean;
}

/** Returns whether a command has the flag, given without dashes and perhaps with `no-`. */
export function isDeclared(typed: string, flags: Flags): boolean {
  return declaredFlag(typed, flags) !== undefined;
}

function declaredFlag(typed: string, flags: Flags): DeclaredFlag | undefined {
  if (Object.hasOwn(flags, typed)) return { name: typed, flag: flags[typed]!, isOff: false };
  const isNegated = typed.startsWith('no-') && Object.hasOwn(flags, typed.slice('no-'.length));
  const name = isNegated
    ? typed.slice('no-'.length)
    : Object.keys(flags).find((each) => flags[each]!.offAlias === typed);
  return name === undefined ? undefined : { name, flag: flags[name]!, isOff: true };
}

function flagValue(
  { name, flag, isOff }: DeclaredFlag,
  value: string | undefined,
  row: CommandRow | undefined,
): unknown {
  if (flag.type === 'boolean') {
    if (value === undefined || value === 'true' || value === 'false') {
      return (value !== 'false') !== isOff;
    }
    throw new UsageError(`\`--${name}\` takes no value`, `leave out the value \`${value}\``);
  }
  if (isOff) {
    throw new UsageError(`\`--${name}\` cannot be turned off`, `leave out \`--no-${name}\``);
  }
  if (value === undefined || value === '') {
    throw new UsageError(`\`--${name}\` needs a value`, seeHelp(row));
  }
  if (flag.choices?.includes(value) === false) {
    throw unknownChoiceError(`--${name}`, value, flag.choices, row);
  }
  return flag.type === 'number' ? Number(value) : value;
}

/** The values of the arguments that the usage line of a command names. */
export function argumentValues(
  args: readonly string[],
  positionals: Positionals,
  row: CommandRow,
): Values {
  const values: Record<string, unknown> = {};
  const mistakes = new Mistakes();
  let remaining = args;
  for (const [, bracket, name = '', dots] of row.usage.matchAll(USAGE)) {
    mistakes.catch(() => {
      const matchedArgs = dots === undefined ? remaining.slice(0, 1) : remaining;
      remaining = remaining.slice(matchedArgs.length);
      if (matchedArgs.length === 0 && bracket === '<') {
        throw new UsageError(`\`xpkg-resolve ${row.usage}\` lacks an argument`, seeHelp(row));
      }
      const { choices, default: preset } = positionals[name]!;
      const wrong = choices && matchedArgs.find((each) => !choices.includes(each));
      if (wrong !== undefined) throw unknownChoiceError(name, wrong, choices!, row);
      values[name] = dots === undefined ? (matchedArgs[0] ?? preset) : matchedArgs;
    });
  }
  mistakes.catch(() => {
    if (remaining.length === 0) return;
    const what = `\`xpkg-resolve ${commandName(row)}\` does not take the argument`;
    throw new UsageError(`${what} \`${remaining[0]}\``, seeHelp(row));
  });
  return { values, mistake: mistakes.first };
}

/** Returns the error for an unknown flag of a command; without a row, of every command. */
function unknownFlagError(
  { name: typed, isShort }: TypedFlag,
  flags: Flags,
  row: CommandRow | undefined,
): UsageError {
  const names = Object.entries(flags).flatMap(([name, { offAlias }]) =>
    [name, offAlias ?? []].flat(),
  );
  const meant = didYouMean(typed, names);
  const shown = `${isShort ? '-' : '--'}${typed}`;
  return new UsageError(
    row === undefined
      ? `there is no flag \`${shown}\``
      : `\`xpkg-resolve ${commandName(row)}\` has no flag \`${shown}\``,
    meant === undefined ? seeHelp(row) : `did you mean \`--${meant}\`?`,
  );
}

/** `name` is the name of an argument, or of a flag with its dashes. */
function unknownChoiceError(
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

/** `<package>` or `[refs..]` in a usage line. */
const USAGE = /([<[])(\w+)(\.\.)?[>\]]/g;

/** Returns the name of a flag in the parsed arguments: `applyHint` for `apply-hint`. */
export function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
