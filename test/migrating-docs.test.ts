import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../src/cli/exit-code.js';
import { runCli } from '../src/cli/run.js';
import { DUMP_COMMAND } from '../src/usecases/cluster/rules/dump.js';
import { fakeIo } from './support/fake-io.js';
import { blocksOf } from './support/readme.js';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/migrating.md'), 'utf8');

let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'migrating-'));
  await cp(join(ROOT, 'fixtures'), join(cwd, 'fixtures'), { recursive: true });
});

afterAll(() => rm(cwd, { recursive: true }));

test('the commands of docs/migrating.md run, one after the other', async () => {
  const scripts = blocksOf(PAGE).filter(({ language }) => language === 'sh');
  const lines = scripts.flatMap(({ body }) => body.trimEnd().split('\n'));
  const own = lines.filter((line) => line.startsWith('xpkg-resolve '));
  expect(own.length).toBeGreaterThan(4);
  expect(lines.filter((line) => !line.startsWith('kubectl get '))).toEqual(own);
  for (const line of own) {
    const io = fakeIo({ cwd });
    const code = await runCli(line.split(' ').slice(1), io);
    expect(code, `${line}\n${io.notes().join('\n')}`).toBe(EXIT.done);
  }
});

test('it asks kubectl for all that messages ask for', () => {
  const named = DUMP_COMMAND.split(' ')[2]!.split(',');
  expect(named.filter((kind) => !PAGE.includes(kind))).toEqual([]);
});

test('it names every rule', () => {
  const folder = join(ROOT, 'src/usecases/cluster');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts'));
  const text = sources.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  const rules = Array.from(
    text.matchAll(/(?:rule[:=] ?|rule = |finding\(\s*)'([a-z-]+)'/g),
    ([, rule]) => rule!,
  );
  expect(rules.length).toBeGreaterThan(20);
  expect(rules.filter((rule) => !PAGE.includes(`\`${rule}\``))).toEqual([]);
});
