import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/kit/command.js';
import { runCli } from '../../src/commands.js';
import { sparseIndexArtifact, buildParts } from '../../src/sources/sparse-index/index-parts.js';
import { fakeIo } from '../support/fake-io.js';
import { blocksOf } from '../support/readme.js';
import { pushSide } from '../support/registry/push-side.js';
import { Registry } from '../support/registry/registry.js';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/index-in-parts.md'), 'utf8');
const HOST = 'registry.example.org';

let cwd: string;
const registry = await new Registry({ faults: [pushSide()] }).start();

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'index-docs-'));
  await cp(join(ROOT, 'fixtures'), join(cwd, 'fixtures'), { recursive: true });
});

afterAll(async () => {
  await registry.stop();
  await rm(cwd, { recursive: true });
});

test('the commands of docs/index-in-parts.md run, one after the other', async () => {
  const scripts = blocksOf(PAGE).filter(({ language }) => language === 'sh');
  const lines = scripts.flatMap(({ body }) => body.trimEnd().split('\n'));
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) {
    const io = fakeIo({ cwd, env: { HOME: cwd } });
    const [program, ...words] = line.split(' ');
    const argv = words.map((word) => word.replace(HOST, registry.host));
    const code = await runCli(argv, io);
    expect([program, code], `${line}\n${io.notes().join('\n')}`).toEqual([
      'xpkg-resolve',
      EXIT.done,
    ]);
  }
});

test('the types that it names are those of an index', async () => {
  const index = {
    packages: { 'a.io/p': { kind: 'Provider', versions: { v1: { crds: ['a.b'] } } } },
  };
  const { manifest, manifests = [] } = sparseIndexArtifact(await buildParts(index));
  const text = [...manifests, manifest].map(({ bytes }) => Buffer.from(bytes).toString()).join();
  const used = new Set(text.match(/application\/vnd\.xpkg-resolve\.index\.[a-z0-9.+]+/g));
  const told = new Set(PAGE.match(/application\/vnd\.xpkg-resolve\.index\.[a-z0-9.+]+/g));
  expect([...told].filter((type) => !used.has(type))).toEqual([]);
  expect(told.size).toBe(5);
});
