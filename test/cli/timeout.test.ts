import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../src/commands.js';
import { fakeIo } from '../support/fake-io.js';
import { Registry } from '../support/registry/registry.js';

let mute: Registry;
let folder: string;

beforeAll(async () => {
  mute = await new Registry({ faults: [() => true] }).start();
  folder = mkdtempSync(join(tmpdir(), 'timeout-'));
});
afterAll(async () => {
  await mute.stop();
  rmSync(folder, { recursive: true });
});

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd: folder });
  const code = await runCli(argv, io);
  const stderr = io.notes().join('\n');
  return { code, stdout: io.stdout(), stderr, left: readdirSync(folder) };
}

test.each([
  { argv: ['resolve'], version: ':v1.0.0' },
  { argv: ['resolve', '--no-write'], version: '@>=v1.0.0' },
  { argv: ['matrix'], version: ':v1.0.0' },
  { argv: ['inspect'], version: ':v1.0.0' },
  { argv: ['index', '--out', 'index.json'], version: '' },
])(
  'a registry that never answers: $argv exits with 7 after --timeout',
  async ({ argv, version }) => {
    const ran = await run(...argv, `${mute.host}/a/p${version}`, '--timeout', '0.2');
    expect(ran).toMatchObject({ code: 7, stdout: '', left: [] });
    expect(ran.stderr).toMatch(
      /^error: gave up: .*the 0\.2 s for this run are over; it was waiting for an answer to `GET /m,
    );
    expect(ran.stderr).toMatch(/^hint: nothing was written; raise --timeout/m);
  },
);

test('JSON reports the timeout and the pending request', async () => {
  const argv = ['resolve', `${mute.host}/a/p:v1.0.0`, '--timeout', '0.2', '-o', 'json'];
  const { code, stdout } = await run(...argv);
  expect(code).toBe(7);
  expect(JSON.parse(stdout)).toMatchObject({
    schemaVersion: 1,
    status: 'gave-up',
    reason: expect.stringContaining('GET ') as string,
  });
});

test('a time limit longer than timers support does not end at once', async () => {
  const away = await new Registry().start();
  const ran = await run('inspect', `${away.host}/a/p:v1.0.0`, '--timeout', '1e9');
  expect(ran).toMatchObject({ code: 2 });
  expect(ran.stderr).toContain('no source has');
  await away.stop();
});

test('the time limit includes reading the input files', async () => {
  const files = ['a.yaml', 'b.yaml'];
  const set = 'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec: {}\n';
  for (const file of files) writeFileSync(join(folder, file), set);
  const named = files.flatMap((file) => ['-f', file]);
  const ran = await run('resolve', ...named, '--offline', '--timeout', '0');
  for (const file of files) rmSync(join(folder, file));
  expect(ran.code).toBe(7);
  expect(ran.stderr).toContain('it was waiting for `b.yaml` to be read');
});
