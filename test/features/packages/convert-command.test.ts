import {
  existsSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';

const OLD = join(import.meta.dirname, '../../../fixtures/old-formats/packages');
const SAMPLES = join(OLD, 'registry.example.org/samples');

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'convert-'));
});

afterEach(() => rmSync(cwd, { recursive: true }));

async function convert(folder: string, ...more: string[]) {
  const io = fakeIo({ cwd });
  const code = await runCli(['convert', folder, '--from', `dir:${OLD}`, ...more], io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

const filesIn = (folder: string) =>
  readdirSync(join(cwd, folder), { recursive: true, encoding: 'utf8' }).sort();

test('writes a folder named after the package that passes lint', async () => {
  const { code, stdout } = await convert(join(SAMPLES, 'app-blog@v0.1.0'));
  expect(code).toBe(EXIT.done);
  for (const lost of ['permissionScope', 'packageType', 'Deployment', 'ownerReferences']) {
    expect(stdout).toContain(`: ${lost}`);
  }
  expect(filesIn('blog')).toEqual(['crds', 'crds/blogs.apps.example.org.yaml', 'crossplane.yaml']);
  const io = fakeIo({ cwd });
  expect(
    await runCli(['lint', 'blog', '--strict', '--crossplane', 'v1.20.11'], io),
    io.stdout(),
  ).toBe(EXIT.done);
});

test('replaces only an earlier conversion', async () => {
  expect((await convert(join(SAMPLES, 'store@v0.1.0/.registry'), '--out', 'a')).code).toBe(
    EXIT.done,
  );
  expect((await convert(join(SAMPLES, 'app-blog@v0.1.0'), '--out', 'a')).code).toBe(EXIT.done);
  expect(filesIn('a').filter((name) => name.endsWith('.yaml'))).toHaveLength(2);
  writeFileSync(join(cwd, 'a/notes.txt'), 'mine');
  const before = readFileSync(join(cwd, 'a/crossplane.yaml'), 'utf8');
  const refused = await convert(join(SAMPLES, 'store@v0.1.0'), '--out', 'a');
  expect(refused).toMatchObject({
    code: EXIT.badInput,
    stderr: /a\/notes.txt` was not written by/,
  });
  expect(readFileSync(join(cwd, 'a/crossplane.yaml'), 'utf8')).toBe(before);
});

test('follows no link out of the working folder', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'outside-'));
  symlinkSync(outside, join(cwd, 'out'));
  expect((await convert(join(SAMPLES, 'store@v0.1.0'), '--out', 'out')).code).toBe(EXIT.badInput);
  expect(readdirSync(outside)).toEqual([]);
  rmSync(outside, { recursive: true });
});

test.each([
  { why: 'a missing folder', folder: 'nothing', says: /holds no `.registry` folder/ },
  { why: 'a current package', folder: 'today', says: /holds no `.registry` folder/ },
  { why: 'no app.yaml', folder: join(SAMPLES, 'nameless@v0.1.0'), says: /holds no `app.yaml`/ },
])('rejects $why and writes nothing', async ({ folder, says }) => {
  mkdirSync(join(cwd, 'today'));
  writeFileSync(join(cwd, 'today/crossplane.yaml'), '');
  expect(await convert(folder, '--out', 'a')).toMatchObject({ code: EXIT.badInput, stderr: says });
  expect(existsSync(join(cwd, 'a'))).toBe(false);
});

test('explains the loss of a CRD whose owner no source knows', async () => {
  const io = fakeIo({ cwd });
  mkdirSync(join(cwd, 'empty'));
  const from = ['--from', 'dir:empty', '-o', 'json'];
  expect(await runCli(['convert', join(SAMPLES, 'app-blog@v0.1.0'), ...from], io)).toBe(EXIT.done);
  const { losses } = JSON.parse(io.stdout()) as { losses: { what: string }[] };
  expect(losses.map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      'dependsOn mysqls.databases.example.org/v1alpha1',
      'dependsOn *.store.example.org/v1alpha1',
    ]),
  );
});
