import { isDeepStrictEqual } from 'node:util';
import {
  type AnyCommand,
  type Flags,
  COMMAND_GROUPS,
  type CommandRow,
} from '../../../src/cli/kit/command.js';
import { COMMANDS } from '../../../src/commands.js';
import { PROJECT_FLAGS, argumentRow, flagGroups, flagRow } from '../../../src/cli/kit/help.js';
import { globalFlags } from '../../../src/cli/arguments/common-flags.js';
import { anchorsOf } from './anchors.js';

interface Loaded {
  readonly row: CommandRow;
  readonly name: string;
  readonly command: AnyCommand;
}

export async function loadedCommands(): Promise<Loaded[]> {
  return Promise.all(
    COMMANDS.map(async (row) => ({ row, name: nameOf(row), command: await row.load() })),
  );
}

function nameOf({ usage }: CommandRow): string {
  return usage.split(' ')[0]!;
}

/** Returns docs/commands.md, generated from the definitions behind `--help`. */
export async function commandsPage(): Promise<string> {
  const commands = await loadedCommands();
  const shared = sharedFlags(commands);
  const paragraphs = [
    '# Every command',
    'What `xpkg-resolve help COMMAND` prints, in one page. It is made from the same definitions (`npm run build && npm run unit -- docs/commands -u`).',
    ...COMMAND_GROUPS.map((group) => overviewOf(group)),
    'Exit codes: 0 done · 1 a bug in the tool · 2 bad usage or bad input · 3 no set of versions satisfies everything · 4 the lockfile or the bundle is missing, stale or not true · 5 a source failed · 6 findings · 7 gave up · 130 and 143 on signals. On anything but 0, no file is written or changed.',
    '## Flags of every command',
    flagTable(globalFlags),
    PROJECT_FLAGS,
    ...[...shared].flatMap(([heading, flags]) => [`## ${heading}`, flagTable(flags)]),
    ...commands.flatMap((each) => sectionOf(each, shared)),
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

function overviewOf(group: string): string {
  const rows = COMMANDS.filter((row) => row.group === group);
  return [
    `| ${group} | |`,
    '| --- | --- |',
    ...rows.map((row) => `| [\`${nameOf(row)}\`](#${nameOf(row)}) | ${cell(row.about)} |`),
  ].join('\n');
}

/** Returns flags that several commands declare alike, by heading; they are described once. */
function sharedFlags(commands: readonly Loaded[]): ReadonlyMap<string, Flags> {
  const shared = new Map<string, Record<string, Flags[string]>>();
  for (const { command } of commands) {
    for (const [heading, flags] of flagGroups(command).slice(1)) {
      const known = shared.get(heading) ?? {};
      for (const [name, options] of Object.entries(flags)) known[name] ??= options;
      shared.set(heading, known);
    }
  }
  return shared;
}

function sectionOf(
  { row, name, command }: Loaded,
  shared: ReadonlyMap<string, Flags>,
): readonly string[] {
  const { positionals, examples = [], epilogue } = command;
  const [[, own], ...groups] = flagGroups(command) as [[string, Flags], ...[string, Flags][]];
  // A flag with its own description is listed with the command.
  const others = groups.map(([heading, flags]) => {
    const known = shared.get(heading) ?? {};
    const entries = Object.entries(flags);
    const alike = entries.filter(([flag, options]) => isDeepStrictEqual(options, known[flag]));
    return { heading, alike, unlike: entries.filter((entry) => !alike.includes(entry)) };
  });
  const args = Object.entries(positionals)
    .map(argumentRow)
    .map(([argument, meaning]) => `| \`${argument}\` | ${cell(meaning)} |`);
  const flags = { ...own, ...Object.fromEntries(others.flatMap(({ unlike }) => unlike)) };
  return [
    `## ${name}`,
    `\`xpkg-resolve ${row.usage}\``,
    `${row.about}.`,
    ...(args.length === 0 ? [] : [['| argument | |', '| --- | --- |', ...args].join('\n')]),
    ...(Object.keys(flags).length === 0 ? [] : [flagTable(flags)]),
    ...others
      .filter(({ alike }) => alike.length > 0)
      .map(({ heading, alike }) => {
        const names = alike.map(([flag, options]) => `\`${longName(flag, options)}\``);
        return `[${heading}](#${anchorsOf(`# ${heading}`)[0]!}): ${names.join(', ')}.`;
      }),
    ...(epilogue === undefined ? [] : [epilogue]),
    ...(examples.length === 0 ? [] : [exampleBlock(examples)]),
  ];
}

/** Returns the name in `--help`; a switch that is on by default is shown as `--no-…`. */
function longName(flag: string, options: Flags[string]): string {
  return /--[\w-]+/.exec(flagRow(flag, options)[0])![0];
}

function flagTable(flags: Flags): string {
  const rows = Object.entries(flags).map(([name, options]) => {
    const [term, meaning] = flagRow(name, options);
    return `| \`${cell(term.trim())}\` | ${cell(meaning)} |`;
  });
  return ['| flag | |', '| --- | --- |', ...rows].join('\n');
}

function exampleBlock(examples: NonNullable<AnyCommand['examples']>): string {
  const lines = examples.map(
    ([line, about]) => `# ${about}\n${line.replaceAll('$0', 'xpkg-resolve')}\n`,
  );
  const mark =
    '<!-- not run: its names stand for yours; test/docs/commands.test.ts holds its flags to those there are -->';
  return `${mark}\n\`\`\`sh\n${lines.join('')}\`\`\``;
}

/** Returns text that is escaped for a table cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
