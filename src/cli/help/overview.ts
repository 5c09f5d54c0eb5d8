import { COMMAND_GROUPS, COMMANDS } from '../command-list.js';
import { globalFlags } from '../flags/global-flags.js';
import { flagRow } from './flag-row.js';
import { section } from './layout.js';

/** What `xpkg-resolve --help` prints: the commands by what they are for, the most used first. */
export function overview(width: number): string[] {
  const groups = COMMAND_GROUPS.flatMap((group) => {
    const rows = COMMANDS.filter((command) => command.group === group);
    const named = rows.map(({ usage, about }) => [usage.split(' ')[0]!, about] as const);
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
    '`xpkg-resolve help COMMAND` tells what a command takes, with examples.',
  ];
}
