import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Flags } from '../../src/cli/kit/command.js';
import { COMMANDS } from '../../src/commands.js';
import { globalFlags } from '../../src/cli/arguments/common-flags.js';
import { commandsPage, loadedCommands } from '../support/docs/commands-page.js';

const PAGE = join(import.meta.dirname, '../../docs/commands.md');
const commands = await loadedCommands();

test('docs/commands.md is what --help says (`npm run unit -- docs/commands -u` after a change of flags)', async () => {
  await expect(await commandsPage()).toMatchFileSnapshot(PAGE);
});

test('it has a heading for every command, and names every flag', async () => {
  const page = await commandsPage();
  for (const { name, command } of commands) {
    const [, section = ''] = page.split(`\n## ${name}\n`);
    const [own] = section.split('\n## ');
    for (const flag of Object.keys(command.flags))
      expect(own, `${name} --${flag}`).toMatch(new RegExp(`--(?:no-)?${flag}\\b`));
  }
});

describe('examples of --help use commands and flags that there are', () => {
  const examples = commands.flatMap(({ name, command }) =>
    (command.examples ?? []).map(([line]) => ({ name, line })),
  );
  const known = new Set(COMMANDS.map(({ usage }) => usage.split(' ')[0]));

  test.each(examples.filter(({ line }) => line.includes('$0')))('$line', ({ line }) => {
    const [, name, rest] = /\$0 ([a-z-]+)([^|]*)/.exec(line)!;
    expect(known).toContain(name);
    const { flags } = commands.find((each) => each.name === name)!.command;
    const all: Flags = { ...globalFlags, ...flags };
    const aliases = Object.values(all).flatMap(({ alias }) => alias ?? []);
    for (const [, flag] of rest!.matchAll(/ --(?:no-)?([a-z-]+)/g))
      expect(Object.keys(all)).toContain(flag);
    for (const [, flag] of rest!.matchAll(/ -([a-z])\b/g)) expect(aliases).toContain(flag);
  });
});
