import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../src/commands.js';
import { fakeIo } from './support/fake-io.js';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const LOCKFILES = join(FIXTURES, 'lockfiles');

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'old-lockfile-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** Text of every file below a folder, by path. */
function filesIn(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length), readFileSync(path, 'utf8')];
    }),
  );
}

async function run(...args: readonly string[]) {
  const io = fakeIo({ cwd });
  return { code: await runCli(args, io), told: io.notes() };
}

describe.each(readdirSync(LOCKFILES))('what version %s wrote', (version) => {
  const written = filesIn(join(LOCKFILES, version));
  beforeEach(() => cpSync(join(LOCKFILES, version), cwd, { recursive: true }));

  test.each([
    { why: 'is the answer still', flags: ['--locked'] },
    { why: 'is taken as it is', flags: ['--frozen'] },
  ])('$why, to the byte ($flags)', async ({ flags }) => {
    const from = `dir:${join(FIXTURES, 'packages')}`;
    const { code, told } = await run('resolve', '-f', 'inputs', '--from', from, ...flags);
    expect({ code, told }).toMatchObject({ code: 0 });
    expect(filesIn(cwd)).toEqual(written);
  });

  test('is rendered as it was, from the lockfile alone', async () => {
    rmSync(join(cwd, 'rendered'), { recursive: true });
    const { code, told } = await run('render');
    expect({ code, told }).toMatchObject({ code: 0 });
    expect(filesIn(cwd)).toEqual(written);
  });
});
