import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../src/commands.js';
import { digestOf } from '../support/lockfiles.js';
import { fakeIo } from '../support/fake-io.js';

/** The length of a chain of packages. No output may recurse for each link. */
const LENGTH = 2_000;
const LAST = `h.io/a/p${LENGTH - 1}`;
/** The maximum output for the whole chain: a few hundred bytes for each link. */
const MOST_CHARACTERS = 4_000_000;

let folder: string;

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd: folder });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chain-'));
  const packages = Array.from({ length: LENGTH }, (_, i) => {
    const next = { configuration: `h.io/a/p${i + 1}`, version: '>=v1.0.0' };
    const dependsOn = i + 1 < LENGTH ? [next] : [];
    const versions = { 'v1.0.0': { digest: digestOf(`${i}`), dependsOn } };
    return [`h.io/a/p${i}`, { kind: 'Configuration', versions }] as const;
  });
  writeFileSync(
    join(folder, 'index.json'),
    JSON.stringify({ packages: Object.fromEntries(packages) }),
  );
  const sources = ['--crossplane', 'v2.3.4', '--from', 'index:index.json', '--offline'];
  const { code, stderr } = await run('resolve', 'h.io/a/p0@v1.0.0', ...sources);
  expect(code, stderr).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  { argv: ['tree'], count: `… and ${LENGTH - 100} packages below` },
  { argv: ['tree', '-o', 'json'], count: `"omitted": ${LENGTH - 100}` },
  { argv: ['why', LAST], count: `… ${LENGTH - 41} more steps` },
  { argv: ['why', LAST, '-o', 'json'], count: '"more": false' },
  { argv: ['graph', '-o', 'svg'], count: '1,700 packages more than 300 levels deep are not drawn' },
  {
    argv: ['graph', '-o', 'html'],
    count: '1,700 packages more than 300 levels deep are not drawn',
  },
  { argv: ['graph', '-o', 'dot'], count: LAST },
  { argv: ['graph', '-o', 'mermaid'], count: 'p1999' },
  { argv: ['graph', '-o', 'json'], count: LAST },
])('$argv of a long chain packages', async ({ argv, count }) => {
  const { code, stdout, stderr } = await run(...argv);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(count);
  expect(stdout.length).toBeLessThan(MOST_CHARACTERS);
});
