import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-code.js';
import { runCli } from '../../src/cli/run.js';
import { fakeIo } from '../support/fake-io.js';
import { providerYaml } from '../support/package-yaml.js';
import { instead, on } from '../support/registry/faults.js';
import { packageImage } from '../support/registry/image.js';
import { Registry } from '../support/registry/registry.js';

let folder: string;
let registry: Registry;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'failed-runs-'));
  registry = await new Registry({
    faults: [on('/a/spoilt/', instead('{}')), on('/a/list/tags', instead('[]'))],
  }).start();
  registry
    .push('a/p', 'v1.0.0', await packageImage(providerYaml('p')))
    .push('a/q', 'v1.0.0', await packageImage(providerYaml('q')));
  await writeFile(join(folder, 'bad.yaml'), 'a: 1\na: 2\n');
});

afterEach(async () => {
  await registry.stop();
  await rm(folder, { recursive: true });
});

const run = (...argv: readonly string[]) =>
  runCli([...argv, '--crossplane', 'v2.3.4'], fakeIo({ cwd: folder }));

/** Every file with what it holds and when it was last touched. */
async function state(): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const told = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    const { mtimeMs, ino } = await stat(path);
    return `${path} ${mtimeMs} ${ino} ${await readFile(path, 'utf8')}`;
  });
  return (await Promise.all(told)).sort();
}

test.each([
  { why: 'bad usage', want: EXIT.badInput, argv: () => ['--prefer', 'best'] },
  { why: 'bad input', want: EXIT.badInput, argv: () => ['-f', 'bad.yaml'] },
  { why: 'no such version', want: EXIT.unsolvable, argv: () => [`${registry.host}/a/p@>=v9.0.0`] },
  {
    why: 'a lockfile that would change',
    want: EXIT.lockMismatch,
    argv: () => [`${registry.host}/a/q:v1.0.0`, '--locked'],
  },
  {
    why: 'a damaged image',
    want: EXIT.sourceFailed,
    argv: () => [`${registry.host}/a/q:v1.0.0`, `${registry.host}/a/spoilt:v1.0.0`],
  },
  {
    why: 'a registry that talks nonsense',
    want: EXIT.sourceFailed,
    argv: () => [`${registry.host}/a/list@>=v1.0.0`],
  },
])('exit $want, $why: no output file is made, changed or touched', async ({ want, argv }) => {
  const fresh = await state();
  expect(await run('resolve', ...argv())).toBe(want);
  expect(await state()).toEqual(fresh);
  expect(await run('resolve', `${registry.host}/a/p:v1.0.0`)).toBe(EXIT.done);
  const resolved = await state();
  expect(resolved.length).toBeGreaterThan(fresh.length);
  expect(await run('resolve', ...argv())).toBe(want);
  expect(await state()).toEqual(resolved);
});
