import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/kit/command.js';
import { runCli } from '../../src/commands.js';
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

/** Returns every file with its contents and modification time. */
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
  { why: 'usage error', want: EXIT.badInput, argv: () => ['--prefer', 'best'] },
  { why: 'invalid input', want: EXIT.badInput, argv: () => ['-f', 'bad.yaml'] },
  { why: 'no such version', want: EXIT.unsolvable, argv: () => [`${registry.host}/a/p@>=v9.0.0`] },
  {
    why: 'the lockfile would change',
    want: EXIT.lockMismatch,
    argv: () => [`${registry.host}/a/q:v1.0.0`, '--locked'],
  },
  {
    why: 'a damaged image',
    want: EXIT.sourceFailed,
    argv: () => [`${registry.host}/a/q:v1.0.0`, `${registry.host}/a/spoilt:v1.0.0`],
  },
  {
    why: 'a registry with invalid answers',
    want: EXIT.sourceFailed,
    argv: () => [`${registry.host}/a/list@>=v1.0.0`],
  },
])(
  'exit code $want, $why: no output file is created, changed or touched',
  async ({ want, argv }) => {
    const fresh = await state();
    expect(await run('resolve', ...argv())).toBe(want);
    expect(await state()).toEqual(fresh);
    expect(await run('resolve', `${registry.host}/a/p:v1.0.0`)).toBe(EXIT.done);
    const resolved = await state();
    expect(resolved.length).toBeGreaterThan(fresh.length);
    expect(await run('resolve', ...argv())).toBe(want);
    expect(await state()).toEqual(resolved);
  },
);
