import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EXIT } from '../../src/cli/kit/command.js';
import { runCli } from '../../src/commands.js';
import { fakeIo } from './fake-io.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures');

/** The source of the demo packages. */
export const DEMO_SOURCE = ['--from', `dir:${FIXTURES}/packages`];
export const RESOLVE_DEMO = ['resolve', '-f', join(FIXTURES, 'demo')];

let resolved: Promise<ReadonlyMap<string, Buffer>> | undefined;

/** Writes the outputs of resolving fixtures/demo to a folder; each process resolves it once. */
export async function writeResolvedDemo(folder: string): Promise<void> {
  resolved ??= resolveDemo();
  for (const [name, content] of await resolved) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

async function resolveDemo(): Promise<ReadonlyMap<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-'));
  const io = fakeIo({ cwd: folder });
  const code = await runCli([...RESOLVE_DEMO, ...DEMO_SOURCE], io);
  if (code !== EXIT.done) throw new Error(io.notes().join('\n'));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
  const files = new Map<string, Buffer>();
  for (const path of paths) files.set(path.slice(folder.length + 1), await readFile(path));
  await rm(folder, { recursive: true });
  return files;
}
