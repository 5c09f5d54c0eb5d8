import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { tarOf } from '../../support/registry/image.js';
import { xpkgFiles } from '../../support/registry/xpkg.js';

let cwd: string;
beforeEach(async () => void (cwd = await mkdtemp(join(tmpdir(), 'lint-'))));
afterEach(async () => rm(cwd, { recursive: true }));

async function write(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(cwd, path)), { recursive: true });
  await writeFile(join(cwd, path), content);
}

async function lint(argv: readonly string[], stdin = '') {
  const io = fakeIo({ cwd, stdin });
  const code = await runCli(['lint', ...argv], io);
  return { code, out: io.stdout(), notes: io.notes() };
}

const ON = ['--crossplane', 'v1.20.0'];

function meta(spec: string, apiVersion = 'meta.pkg.crossplane.io/v1'): string {
  return `apiVersion: ${apiVersion}\nkind: Configuration\nmetadata:\n  name: x\nspec:\n  ${spec}\n`;
}

const FINE = meta('crossplane: {version: ">=v1.14.0-0"}');
const WARNED = meta('crossplane: {version: ">=v1.14.0"}');
const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n';

test.each([
  { yaml: FINE, argv: [], code: 0, why: 'nothing found' },
  { yaml: WARNED, argv: [], code: 0, why: 'warnings alone' },
  { yaml: WARNED, argv: ['--strict'], code: 6, why: 'warnings count with --strict' },
  { yaml: meta('crossplane: v1'), argv: [], code: 6, why: 'an error' },
  {
    yaml: meta('crossplane: ">=v1.0.0-0"'),
    argv: ['--compat'],
    code: 0,
    why: 'read with --compat',
  },
  { yaml: '--- x\n', argv: [], code: 6, why: 'a stream that no target can read' },
])('exit $code: $why', async ({ yaml, argv, code }) => {
  await write('package.yaml', yaml);
  expect((await lint(['package.yaml', ...ON, ...argv])).code).toBe(code);
});

test('findings have a position and a rule', async () => {
  await write('package.yaml', `${FINE}---\n${CONFIG_MAP}`);
  const { out } = await lint(['package.yaml', ...ON]);
  expect(out).toMatch(/^package\.yaml:8: error: .*ConfigMap.* \[unregistered-kind\]$/m);
  expect(out).toMatch(/^Crossplane v1\.20\.0 refuses it: 1 error, 0 warnings$/m);
});

test('-o json prints one document', async () => {
  await write('package.yaml', `${WARNED}---\n${CONFIG_MAP}`);
  const { out } = await lint(['package.yaml', ...ON, '-o', 'json']);
  expect(JSON.parse(out)).toMatchObject({
    schemaVersion: 1,
    package: 'package.yaml',
    crossplane: 'v1.20.0',
    errors: 1,
    warnings: 1,
    findings: [
      { severity: 'warning', code: 'prerelease-builds', file: 'package.yaml', line: 6 },
      { severity: 'error', code: 'unregistered-kind', file: 'package.yaml', line: 8 },
    ],
  });
});

test('a folder is read like `crossplane xpkg build` does, and each file has its own lines', async () => {
  await write('pkg/crossplane.yaml', FINE);
  await write('pkg/apis/a.yaml', '# no newline at the end\nkind: Nothing');
  await write('pkg/apis/b.yml', `\n${CONFIG_MAP}`);
  await write('pkg/apis/empty.yaml', '');
  await write('pkg/apis/notes.txt', 'not: [yaml');
  await write('pkg/examples/claim.yaml', CONFIG_MAP);
  await write('pkg/zz/examples/c.yaml', CONFIG_MAP);
  const { out } = await lint(['pkg', ...ON, '-o', 'json']);
  const { findings } = JSON.parse(out) as { findings: { file: string; line: number }[] };
  expect(findings.map(({ file, line }) => `${file}:${line}`)).toEqual([
    join('pkg', 'apis', 'a.yaml:2'),
    join('pkg', 'apis', 'b.yml:2'),
    join('pkg', 'zz', 'examples', 'c.yaml:1'),
  ]);
});

test('built folders, gzipped streams and standard input are packages, too', async () => {
  await write('built/package.yaml', FINE);
  await write('built/other.yaml', CONFIG_MAP);
  await write('cache.gz', gzipSync(FINE));
  expect((await lint(['built', ...ON])).code).toBe(0);
  expect((await lint(['cache.gz', ...ON])).code).toBe(0);
  expect((await lint(['-', ...ON], FINE)).code).toBe(0);
});

test('an .xpkg file is a package of any name', async () => {
  const layers = [{ entries: [{ name: 'package.yaml', content: WARNED }], label: 'base' }];
  const files = [...(await xpkgFiles(layers))].map(([name, content]) => ({ name, content }));
  await write('built.xpkg', await tarOf(files));
  const { out } = await lint(['built.xpkg', ...ON]);
  expect(out).toMatch(/^built\.xpkg: package\.yaml:6: warning: .*\[prerelease-builds\]$/m);
});

test('exit 5: a broken file', async () => {
  await write('cut.gz', gzipSync(FINE).subarray(0, 40));
  const { code, notes } = await lint(['cut.gz', ...ON]);
  expect(code).toBe(5);
  expect(notes.join()).toContain('cut.gz');
});

const INDEX = JSON.stringify({
  packages: {
    'xpkg.io/acme/fn': {
      kind: 'Function',
      versions: {
        'v0.1.0': { crossplane: '>=v1.14.0', digest: `sha256:${'a'.repeat(64)}` },
        'v0.2.0': { crossplane: 'newest' },
      },
    },
  },
});

test.each([
  { ref: 'xpkg.io/acme/fn:v0.1.0', code: 0, why: 'by tag' },
  { ref: `xpkg.io/acme/fn@sha256:${'a'.repeat(64)}`, code: 0, why: 'by digest' },
  { ref: 'xpkg.io/acme/fn:v0.2.0', code: 6, why: 'a version that is refused' },
  { ref: 'xpkg.io/acme/fn:v0.3.0', code: 2, why: 'a version that is not there' },
  { ref: 'xpkg.io/acme/other:v0.1.0', code: 2, why: 'a repository that is not there' },
  { ref: 'xpkg.io/acme/fn', code: 6, why: 'the newest, as no version is named' },
  { ref: 'xpkg.io/acme/fn@<v0.2.0', code: 0, why: 'the newest in a range' },
])('exit $code for $ref: $why', async ({ ref, code }) => {
  await write('index.json', INDEX);
  expect((await lint([ref, '--from', 'index:index.json', ...ON])).code).toBe(code);
});

test('text of a package cannot contain terminal escapes', async () => {
  await write('package.yaml', `${FINE}---\n${CONFIG_MAP.replace('settings', '"\\e[2Jx"')}`);
  const { out } = await lint(['package.yaml', ...ON]);
  expect(out).toContain('ConfigMap');
  expect(out).not.toContain('\u001b');
});

test.each([
  { argv: ['nowhere'], why: 'no such file' },
  { argv: ['empty'], why: 'a folder without a package' },
  { argv: ['empty', '--crossplane', 'latest'], why: 'no target' },
])('exit 2: $why', async ({ argv }) => {
  await mkdir(join(cwd, 'empty'));
  const { code, out, notes } = await lint(argv);
  expect([code, out]).toEqual([2, '']);
  expect(notes.some((note) => note.startsWith('hint:'))).toBe(true);
});
