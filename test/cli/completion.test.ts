import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-code.js';
import { runCli } from '../../src/cli/run.js';
import { fakeIo } from '../support/fake-io.js';

async function run(...args: string[]) {
  const io = fakeIo();
  return { code: await runCli(args, io), stdout: io.stdout() };
}

test('completion prints a script for the shell, and nothing else', async () => {
  const { code, stdout } = await run('completion');
  expect(code).toBe(EXIT.done);
  expect(stdout).toMatch(/^###-begin-xpkg-resolve-completions-###/);
  expect(stdout).toContain('xpkg-resolve --get-yargs-completions');
});

test('the script is offered commands', async () => {
  const { stdout } = await run('--get-yargs-completions', 'xpkg-resolve', '');
  expect(stdout).toMatch(/^resolve\b/m);
  expect(stdout).toMatch(/^matrix\b/m);
});

test('the script is offered the flags of the command in hand', async () => {
  const { stdout } = await run('--get-yargs-completions', 'xpkg-resolve', 'resolve', '--');
  expect(stdout).toMatch(/^--crossplane\b/m);
});
