import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-code.js';
import { runCli } from '../../src/cli/run.js';
import { fakeIo } from '../support/fake-io.js';

async function run(...argv: readonly string[]) {
  const stdin = 'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec: {a: 1, b: 2}\n';
  const io = fakeIo({ env: { HOME: '/nowhere' }, stdin });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

test('a flag for all commands may stand before the command', async () => {
  expect(await run('--debug', 'cache', 'dir')).toEqual(await run('cache', 'dir', '--debug'));
  expect((await run('--debug', 'cache', 'dir')).code).toBe(EXIT.done);
});

test.each([
  { argv: ['resolve', '-f', '-'], why: 'two fields that are none' },
  { argv: ['cache', 'nope'], why: 'what yargs says of a choice' },
])('each thing that is wrong has a line: $why', async ({ argv }) => {
  const { code, notes } = await run(...argv);
  expect(code).toBe(EXIT.badInput);
  expect(notes.length).toBeGreaterThan(1);
  expect(notes.join('\n')).not.toContain('\ufffd');
});

test('`index push` says first that what follows is no place to push to', async () => {
  const { code, notes } = await run('index', 'push', 'foo', '--from', 'dir:.');
  expect(code).toBe(EXIT.badInput);
  expect(notes[0]).toContain('`foo`');
});

test('an argument that is missing is named', async () => {
  const { code, notes } = await run('vendor');
  expect(code).toBe(EXIT.badInput);
  expect(notes[0]).toContain('<folder>');
});

test.each([
  ['tree', '--no-lock'],
  ['resolve', '--no-from'],
  ['render', '--no-out'],
])('a flag that takes a value cannot be turned off: %s %s', async (...argv) => {
  const io = fakeIo();
  expect(await runCli(argv, io)).toBe(2);
  expect(io.notes()[0]).toBe(`error: \`--${argv[1].slice(5)}\` cannot be turned off`);
});
