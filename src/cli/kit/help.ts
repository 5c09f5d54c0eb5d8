import {
  type AnyCommand,
  COMMAND_GROUPS,
  commandName,
  type CommandRow,
  type Flag,
  type Flags,
  type Positionals,
} from './command.js';
import { wrap } from '../../base/messages.js';
import { globalFlags } from '../arguments/common-flags.js';
import { inputFlags } from '../arguments/input-flags.js';
import { networkFlags } from '../sources/network-flags.js';
import { sourceFlags } from '../sources/source-flags.js';

/** Headings of shared flags. A command's own flags are listed first. */
const SHARED: readonly (readonly [heading: string, names: readonly string[]])[] = [
  ['What is asked for', [...Object.keys(inputFlags), 'crossplane', 'crossplane-versions']],
  ['Where packages are', Object.keys(sourceFlags).filter((name) => !(name in networkFlags))],
  ['Network', Object.keys(networkFlags)],
];

/** Returns the flags of a command by heading, its own flags first. */
export function flagGroups({ flags }: Pick<AnyCommand, 'flags'>): [heading: string, Flags][] {
  const sharedNames = new Set(SHARED.flatMap(([, names]) => names));
  const own = Object.keys(flags).filter((name) => !sharedNames.has(name));
  return [['Flags', own] as const, ...SHARED].map(([heading, names]) => {
    const taken = names.filter((name) => Object.hasOwn(flags, name));
    return [heading, Object.fromEntries(taken.map((name) => [name, flags[name]!]))];
  });
}

/** Returns the lines of `help COMMAND`: usage, arguments, flags by topic, examples. */
export function commandHelp(row: CommandRow, command: AnyCommand, width: number): string[] {
  const { positionals, examples = [], epilogue } = command;
  const args = Object.entries(positionals).map(argumentRow);
  return [
    `xpkg-resolve ${row.usage}`,
    '',
    ...wrap(`${row.about}.`, '', '', width),
    ...section('Arguments', args, width),
    ...flagGroups(command).flatMap(([heading, flags]) => {
      const rows = Object.entries(flags).map(([name, options]) => flagRow(name, options));
      return section(heading, rows, width);
    }),
    ...(epilogue === undefined ? [] : ['', ...wrap(epilogue, '', '', width)]),
    ...exampleLines(examples, width),
    '',
    'Flags of every command, such as -q and --color: `xpkg-resolve --help`.',
  ];
}

/** Returns the description of an argument and its choices. */
export function argumentRow([name, { describe, choices }]: [string, Positionals[string]]): HelpRow {
  const words = choices === undefined ? '' : `: ${choices.join(', ')}`;
  return [name, `${describe}${words}`];
}

function exampleLines(examples: NonNullable<AnyCommand['examples']>, width: number): string[] {
  if (examples.length === 0) return [];
  const lines = examples.flatMap(([line, about]) => [
    ...wrap(`# ${about}`, '  ', '  # ', width),
    `  ${line.replaceAll('$0', 'xpkg-resolve')}`,
  ]);
  return ['', 'Examples:', ...lines];
}

/** The help text about flags that `acceptedFlags` adds. */
export const PROJECT_FLAGS =
  'Flags may stand before the command or after it. Every command that works on a project accepts ' +
  '--from, --offline, --cache, --crossplane and --allow-undigested.';

/** Returns the lines of `xpkg-resolve --help`: commands by group, the most used first. */
export function overview(commands: readonly CommandRow[], width: number): string[] {
  const groups = COMMAND_GROUPS.flatMap((group) => {
    const rows = commands.filter((command) => command.group === group);
    const named = rows.map((row) => [commandName(row), row.about] as const);
    return section(group, named, width);
  });
  const flags = Object.entries(globalFlags).map(([name, options]) => flagRow(name, options));
  return [
    'xpkg-resolve COMMAND',
    '',
    'Resolves and locks Crossplane packages, ahead of time and offline.',
    ...groups,
    ...section('Flags of every command', flags, width),
    '',
    ...wrap(PROJECT_FLAGS, '', '', width),
    '',
    '`xpkg-resolve help COMMAND` tells what a command takes, with examples.',
  ];
}

/** Returns the help row of a flag: `-o, --output text|json`, its description and default. */
export function flagRow(name: string, options: Flag): HelpRow {
  // A flag that is on by default is shown as `--no-NAME`.
  const long = options.default === true ? `--no-${name}` : `--${name}`;
  const shortFlag = options.alias !== undefined ? `-${options.alias}, ` : '    ';
  const otherSpelling = options.offAlias === undefined ? '' : `, --${options.offAlias}`;
  const value = valueOf(options);
  const term = `${shortFlag}${long}${otherSpelling}${value === '' ? '' : ` ${value}`}`;
  return [term, `${options.describe}${defaultOf(options)}`];
}

function valueOf({ choices, type }: Flag): string {
  if (choices !== undefined) return choices.join('|');
  if (type === 'number') return 'N';
  return type === 'boolean' ? '' : 'VALUE';
}

function defaultOf({ default: preset }: Flag): string {
  if (preset === undefined || typeof preset === 'boolean') return '';
  return ` (default: ${String(preset)})`;
}

type HelpRow = readonly [term: string, meaning: string];

/** Longer terms get a line of their own, so that meanings keep some width. */
const MAX_TERM_LENGTH = 30;

/** Returns a heading and its rows: terms in one column, wrapped meanings in another. */
function section(heading: string, rows: readonly HelpRow[], width: number): string[] {
  if (rows.length === 0) return [];
  const lengths = rows.map(([{ length }]) => length).filter((length) => length <= MAX_TERM_LENGTH);
  const column = Math.max(0, ...lengths) + 4;
  return ['', `${heading}:`, ...rows.flatMap((row) => rowLines(row, column, width))];
}

function rowLines([term, meaning]: HelpRow, column: number, width: number): string[] {
  const indent = ' '.repeat(column);
  const start = `  ${term}`;
  if (start.length + 2 > column) return [start, ...wrap(meaning, indent, indent, width)];
  return wrap(meaning, start.padEnd(column), indent, width);
}
