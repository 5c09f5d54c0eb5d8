import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../src/commands.js';
import { fakeIo } from '../support/fake-io.js';
import { writeResolvedDemo } from '../support/resolved-demo.js';

const SCRIPT = join(import.meta.dirname, '../support/python-tools.sh');

/** Runs a program; fails if it is missing. */
function run(program: string, args: readonly string[]) {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error !== undefined) throw new Error(`\`${program}\` cannot be run`, { cause: error });
  return { status, stdout, said: `${stdout}${stderr}` };
}

test('the output of `sbom -o spdx` passes the tools of the SPDX project', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sbom-'));
  try {
    await writeResolvedDemo(folder);
    const io = fakeIo({ cwd: folder });
    expect(await runCli(['sbom', '-o', 'spdx'], io)).toBe(0);
    const file = join(folder, 'set.spdx.json');
    const validator = join(run('bash', [SCRIPT, 'dir']).stdout.trim(), 'bin/pyspdxtools');
    await writeFile(file, io.stdout());
    const { status, said } = run(validator, ['-i', file]);
    expect(status, said).toBe(0);
    await writeFile(file, io.stdout().replace('"SPDX-2.3"', '"SPDX-9"'));
    expect(run(validator, ['-i', file]).status).not.toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});
