import type { PositionalOptions } from 'yargs';
import { wrap } from '../../text/wrap.js';
import type { AnyCommand, Flags } from '../command.js';
import type { CommandRow } from '../command-list.js';
import { inputFlags } from '../flags/input-flags.js';
import { networkFlags } from '../flags/source/network-flags.js';
import { sourceFlags } from '../flags/source/source-flags.js';
import { flagRow } from './flag-row.js';
import { section, type HelpRow } from './layout.js';

/** Flags that many commands share, by heading; what a command adds of its own is listed first. */
const SHARED: readonly (readonly [heading: string, names: readonly string[]])[] = [
  ['What is asked for', [...Object.keys(inputFlags), 'crossplane', 'crossplane-versions']],
  ['Where packages are', Object.keys(sourceFlags).filter((name) => !(name in networkFlags))],
  ['Network', Object.keys(networkFlags)],
];

/** The flags of a command by heading, those that it adds of its own first. */
export function flagGroups({ flags }: Pick<AnyCommand, 'flags'>): [heading: string, Flags][] {
  const shared = new Set(SHARED.flatMap(([, names]) => names));
  const own = Object.keys(flags).filter((name) => !shared.has(name));
  return [['Flags', own] as const, ...SHARED].map(([heading, names]) => {
    const taken = names.filter((name) => Object.hasOwn(flags, name));
    return [heading, Object.fromEntries(taken.map((name) => [name, flags[name]!]))];
  });
}

/** What `help COMMAND` prints: usage, arguments, flags by what they are about, examples last. */
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

/** What an argument is for, and what it may be. */
export function argumentRow([name, { describe, choices }]: [string, PositionalOptions]): HelpRow {
  const words = choices === undefined ? '' : `: ${choices.map(String).join(', ')}`;
  return [name, `${describe ?? ''}${words}`];
}

function exampleLines(examples: NonNullable<AnyCommand['examples']>, width: number): string[] {
  if (examples.length === 0) return [];
  const lines = examples.flatMap(([line, about]) => [
    ...wrap(`# ${about}`, '  ', '  # ', width),
    `  ${line.replaceAll('$0', 'xpkg-resolve')}`,
  ]);
  return ['', 'Examples:', ...lines];
}
