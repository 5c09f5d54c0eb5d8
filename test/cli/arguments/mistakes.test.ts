import { expect, test } from 'vitest';
import { COMMANDS, runCli } from '../../../src/commands.js';
import { EXIT } from '../../../src/cli/kit/command.js';
import { fakeIo } from '../../support/fake-io.js';

async function run(...argv: readonly string[]) {
  const io = fakeIo({ env: { HOME: '/nowhere' } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

test.each([
  { argv: ['resolv'], says: 'no command `resolv`', hint: 'did you mean `xpkg-resolve resolve`?' },
  { argv: ['help', 'treee'], says: 'no command `treee`', hint: '`xpkg-resolve tree`' },
  { argv: ['frobnicate'], says: 'no command `frobnicate`', hint: '`xpkg-resolve --help`' },
  { argv: [], says: 'name a command', hint: '`xpkg-resolve --help`' },
  { argv: ['resolve', '--offlin'], says: 'no flag `--offlin`', hint: 'did you mean `--offline`?' },
  { argv: ['resolve', '-x'], says: 'no flag `-x`', hint: '`xpkg-resolve help resolve`' },
  { argv: ['tree', 'extra'], says: 'argument `extra`', hint: '`xpkg-resolve help tree`' },
  { argv: ['tree', '--lock'], says: '`--lock` needs a value', hint: '`xpkg-resolve help tree`' },
  { argv: ['tree', '-o', 'jsn'], says: '`--output` cannot be "jsn"', hint: 'mean `json`' },
  { argv: ['set', 'crossplan', 'v2.0.2'], says: '"crossplan"', hint: 'mean `crossplane`' },
  { argv: ['tree', '-o', 'xml'], says: '`--output` cannot be "xml"', hint: 'help tree' },
  { argv: ['tree', '--color', 'red'], says: '`--color` cannot be "red"', hint: 'help tree' },
])('$argv: $says', async ({ argv, says, hint }) => {
  const { code, stdout, notes } = await run(...argv);
  expect(code).toBe(EXIT.badInput);
  expect(stdout).toBe('');
  expect(notes).toHaveLength(2);
  expect(notes[0]).toContain(says);
  expect(notes[1]).toMatch(/^hint: /);
  expect(notes[1]).toContain(hint);
});

test.each([
  { argv: ['tree', '--nope', '-o', 'json'], why: 'an unknown flag' },
  { argv: ['resolv', '--output', 'json'], why: 'an unknown command' },
  { argv: ['resolve', '-o=json', 'x.yaml'], why: 'a reference that is a file' },
  { argv: ['--output=json', 'inspect', 'x'], why: 'the flag before the command' },
])('as JSON, an error has its place and its hint: $why', async ({ argv }) => {
  const { code, stdout, notes } = await run(...argv);
  expect(code).toBe(EXIT.badInput);
  const said = JSON.parse(stdout) as { error: { message: string; hint: string } };
  expect(said).toMatchObject({ schemaVersion: 1, status: 'error', exitCode: 2 });
  expect(notes).toContain(`error: ${said.error.message}`);
  expect(notes).toContain(`hint: ${said.error.hint}`);
});

test.each([['--help'], ['-h'], ['help']])('%s lists every command by group', async (word) => {
  const { code, stdout } = await run(word);
  expect(code).toBe(EXIT.done);
  for (const { usage } of COMMANDS)
    expect(stdout).toMatch(new RegExp(`^  ${usage.split(' ')[0]} `, 'm'));
  expect(stdout.indexOf('resolve  ')).toBeLessThan(stdout.indexOf('Supply:'));
});

test.each(COMMANDS)('help of $usage fits the terminal, and ends in its examples', async (row) => {
  const name = row.usage.split(' ')[0]!;
  const { code, stdout } = await run('help', name);
  expect(code).toBe(EXIT.done);
  expect(await run(name, '-h')).toMatchObject({ stdout });
  const { flags, examples = [] } = await row.load();
  for (const flag of Object.keys(flags)) expect(stdout).toMatch(new RegExp(`--(no-)?${flag}\\b`));
  for (const [line] of examples) expect(stdout).toContain(line.replace('$0', 'xpkg-resolve'));
  const shown = new Set(examples.map(([line]) => `  ${line.replaceAll('$0', 'xpkg-resolve')}`));
  for (const line of stdout.split('\n'))
    if (!shown.has(line)) expect(line.length).toBeLessThanOrEqual(80);
});

test('--quiet keeps errors, warnings and hints', async () => {
  const loud = await run('inspect', 'x');
  const quiet = await run('inspect', 'x', '-q');
  expect(loud.notes.some((line) => line.startsWith('note: '))).toBe(true);
  expect(quiet.notes).toEqual(loud.notes.filter((line) => !line.startsWith('note: ')));
});

test('--verbose prints the elapsed time', async () => {
  const { notes } = await run('cache', 'dir', '-v');
  expect(notes.at(-1)).toMatch(/^trace: took \d+\.\d\d s$/);
});

test.each([
  { flags: [], env: {}, interactive: true, colour: true },
  { flags: [], env: {}, interactive: false, colour: false },
  { flags: [], env: { NO_COLOR: '1' }, interactive: true, colour: false },
  { flags: [], env: { FORCE_COLOR: '1' }, interactive: false, colour: true },
  { flags: [], env: { FORCE_COLOR: '0' }, interactive: true, colour: false },
  { flags: ['--color', 'always'], env: { NO_COLOR: '1' }, interactive: false, colour: true },
  { flags: ['--color=never'], env: { FORCE_COLOR: '1' }, interactive: true, colour: false },
])(
  'colour with $flags, $env, terminal $interactive: $colour',
  async ({ flags, env, interactive, colour }) => {
    const io = fakeIo({ env: { HOME: '/nowhere', ...env }, interactive });
    expect(await runCli([...flags, 'tree', '--nope'], io)).toBe(EXIT.badInput);
    expect(io.notes()[0]!.includes('\u001b[')).toBe(colour);
  },
);
