import { expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';

async function run(...argv: readonly string[]) {
  const stdin = 'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec: {a: 1, b: 2}\n';
  const io = fakeIo({ env: { HOME: '/nowhere' }, stdin });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

test('a global flag may precede the command', async () => {
  expect(await run('--debug', 'cache', 'dir')).toEqual(await run('cache', 'dir', '--debug'));
  expect((await run('--debug', 'cache', 'dir')).code).toBe(EXIT.done);
});

test.each([
  { argv: ['resolve', '-f', '-'], why: 'two unknown fields' },
  { argv: ['cache', 'nope'], why: 'an unknown choice' },
])('each error has a line: $why', async ({ argv }) => {
  const { code, notes } = await run(...argv);
  expect(code).toBe(EXIT.badInput);
  expect(notes.length).toBeGreaterThan(1);
  expect(notes.join('\n')).not.toContain('\ufffd');
});

test('`index push` reports the invalid destination first', async () => {
  const { code, notes } = await run('index', 'push', 'foo', '--from', 'dir:.');
  expect(code).toBe(EXIT.badInput);
  expect(notes[0]).toContain('`foo`');
});

test('names a missing argument', async () => {
  const { code, notes } = await run('vendor');
  expect(code).toBe(EXIT.badInput);
  expect(notes[0]).toContain('<folder>');
});

test.each([
  ['tree', '--no-lock'],
  ['resolve', '--no-from'],
  ['render', '--no-out'],
])('a flag with a value cannot be turned off: %s %s', async (...argv) => {
  const io = fakeIo();
  expect(await runCli(argv, io)).toBe(2);
  expect(io.notes()[0]).toBe(`error: \`--${argv[1].slice(5)}\` cannot be turned off`);
});
