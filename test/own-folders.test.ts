import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fakeIo } from './support/fake-io.js';

const ROOT = join(import.meta.dirname, '..');
const COPIED = ['src', 'test', 'fixtures', 'dist', 'docs', 'package.json', 'tsconfig.json'];

/** Tests that run commands and take seconds. `.ci/run` runs all tests beside such files. */
const COMMAND_TESTS = [
  'test/cli/kit/run.test.ts',
  'test/main.test.ts',
  'test/cli/arguments/',
  'test/cli/sources/',
  'test/features/packages/',
  'test/features/update/missing.test.ts',
  'test/features/resolve/resolve-command.test.ts',
  'test/features/render/render-command.test.ts',
  'test/features/verify/',
];

let above: string;
let copy: string;
beforeAll(async () => {
  above = await mkdtemp(join(tmpdir(), 'own-folders-'));
  copy = join(above, 'repository');
  await mkdir(copy);
  for (const name of COPIED) await cp(join(ROOT, name), join(copy, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const folder of [above, copy, join(copy, 'fixtures')]) {
    await cp(join(ROOT, 'fixtures/hostile-project'), folder, { recursive: true });
  }
});
afterAll(() => rm(above, { recursive: true }));

test('tests of commands pass in a folder with another project', async () => {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')),
  );
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const report = join(above, 'report.json');
  const args = [
    'run',
    '--config',
    'test/vitest.config.ts',
    '--reporter=json',
    `--outputFile=${report}`,
  ];
  const run = promisify(execFile)(process.execPath, [vitest, ...args, ...COMMAND_TESTS], {
    cwd: copy,
    env,
  });
  const stderr = await run.then(
    () => '',
    (error: { stderr: string }) => error.stderr,
  );
  expect(existsSync(report), stderr).toBe(true);
  const { numTotalTests, testResults } = JSON.parse(await readFile(report, 'utf8')) as {
    numTotalTests: number;
    testResults: {
      name: string;
      message: string;
      assertionResults: { title: string; status: string }[];
    }[];
  };
  const failed = testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message === '' ? [] : [`${name}: ${message}`]),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ title }) => `${name}: ${title}`),
  ]);
  expect(failed).toEqual([]);
  expect(numTotalTests).toBeGreaterThan(200);
});

test('a test cannot run a command in the repository', () => {
  expect(() => fakeIo({ cwd: ROOT })).toThrow('part of the repository');
  expect(() => fakeIo({ cwd: join(ROOT, 'fixtures') })).toThrow('part of the repository');
  expect(fakeIo().cwd).not.toContain(ROOT);
});
