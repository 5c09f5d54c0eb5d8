import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lockfile } from '../../src/project/lockfile/lockfile.js';
import { parseLockfile } from '../../src/project/lockfile/parse-lockfile.js';
import { writeResolvedDemo } from './resolved-demo.js';

/** Returns the lockfile of fixtures/demo. */
export async function resolvedDemo(): Promise<Lockfile> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-lockfile-'));
  try {
    await writeResolvedDemo(folder);
    return parseLockfile(await readFile(join(folder, 'xpkg.lock.yaml'), 'utf8'), 'demo');
  } finally {
    await rm(folder, { recursive: true });
  }
}
