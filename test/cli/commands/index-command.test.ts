import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../../src/cli/run.js';
import { fakeIo } from '../../support/fake-io.js';

const INDEX = `{"packages":{
"xpkg.io/a":{"kind":"Provider","versions":{
"v1.0.0":{"crds":["a.x.io","b.x.io"]},
"v1.1.0":{"crossplane":">=v1.0.0","dependsOn":[{"provider":"xpkg.io/b","version":"*"}]}
}},
"xpkg.io/b":{"kind":"Function","versions":{
"latest":{"apiVersion":"meta.pkg.crossplane.io/v1beta1"},
"v1.0.0":{"kind":"Provider"}
}}
}}
`;

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'index-command-'));
  const { packages } = JSON.parse(INDEX) as { packages: Record<string, object> };
  const shuffled = { packages: Object.fromEntries(Object.entries(packages).reverse()) };
  await writeFile(join(cwd, 'in.json'), JSON.stringify(shuffled));
});
afterAll(() => rm(cwd, { recursive: true }));

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd });
  const code = await runCli(['index', '--from', 'index:in.json', ...argv], io);
  return { code, out: io.stdout(), notes: io.notes() };
}

test('prints what the sources hold, sorted, a version a line', async () => {
  expect(await run()).toEqual({ code: 0, out: INDEX, notes: [] });
});

test('named packages alone', async () => {
  const { out } = await run('xpkg.io/b');
  expect(Object.keys((JSON.parse(out) as { packages: object }).packages)).toEqual(['xpkg.io/b']);
});

test.each([
  { file: 'out.json', read: (bytes: Buffer) => bytes.toString() },
  { file: 'out.json.gz', read: (bytes: Buffer) => gunzipSync(bytes).toString() },
])('writes $file, and nothing to stdout', async ({ file, read }) => {
  expect(await run('--out', file)).toMatchObject({ code: 0, out: '' });
  expect(read(await readFile(join(cwd, file)))).toBe(INDEX);
});

test('a package that no source knows ends it, and nothing is written', async () => {
  const { code, notes } = await run('xpkg.io/none', '--out', 'none.json');
  expect(code).toBe(2);
  expect(notes.join()).toContain('xpkg.io/none');
  expect(await readdir(cwd)).not.toContain('none.json');
});

test.each([
  { argv: ['--out', 'no/such/folder/out.json'], why: 'a folder there is not' },
  { argv: ['--from'], why: 'a flag without its value' },
  { argv: ['--out'], why: 'another' },
  { argv: ['--nonsense'], why: 'a flag there is not' },
])('$argv is bad usage: $why', async ({ argv }) => {
  expect(await run(...argv)).toMatchObject({ code: 2, out: '' });
});
