import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';

/**
 * Runs each test file in an empty temporary folder, so that no test reads an `xpkg.yaml`, a
 * lockfile or `rendered/` of the current folder. Child processes inherit it. A test that writes
 * files must create its own folder; files that are left here make it fail.
 */
const started = process.cwd();
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'working-folder-'));
process.chdir(folder);

afterEach(() => {
  const left = readdirSync(folder);
  for (const name of left) rmSync(join(folder, name), { recursive: true });
  if (left.length > 0)
    throw new Error(`The test left files in its working folder: ${left.join(', ')}`);
});

afterAll(() => {
  process.chdir(started);
  rmSync(folder, { recursive: true });
});
