import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildExecutables, executableOf } from '../../integrations/executable/build.js';
import { readPage } from '../support/docs/page.js';
import { runPage } from '../support/docs/run-page.js';
import { Clone } from '../support/readme.js';
import { BASE, imageOf, layerOf } from '../support/registry/image.js';
import { DockerRegistry, mustRun } from './docker-registry.js';

const ROOT = join(import.meta.dirname, '../..');
const HERE = `${process.platform}-${process.arch}`;
const PACKAGES = `dir:${join(ROOT, 'fixtures/packages')}`;
const EXECUTABLE = join(ROOT, executableOf(HERE).file);

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'executable-'));
  await buildExecutables([HERE]);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the executable where there is no Node, nor anything else. */
function run(args: readonly string[], program = EXECUTABLE) {
  const env = { PATH: '', NO_COLOR: '1', XPKG_RESOLVE_CACHE: join(folder, 'cache') };
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function npmForm(args: readonly string[]) {
  const main = join(ROOT, 'dist/cli/main.js');
  const env = { NO_COLOR: '1', XPKG_RESOLVE_CACHE: join(folder, 'cache') };
  const options = { cwd: folder, env, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], options);
  return { status, stdout, stderr };
}

test('it prints what the README shows, command by command', async () => {
  const page = readPage('README.md');
  const clone = new Clone(ROOT, mkdtempSync(join(folder, 'clone-')), EXECUTABLE);
  const printed = await runPage(page, clone);
  expect(printed.size).toBeGreaterThan(3);
  const sessions = page.shell.filter(({ language }) => language === 'console');
  expect(sessions.length).toBeGreaterThan(1);
  for (const { at, body } of sessions) expect(printed.get(at)).toBe(body);
});

test.each([
  ['the version, of package.json', ['--version']],
  ['help', ['resolve', '--help']],
  ['a mistake', ['resolve', '--no-such-flag']],
  ['a schema', ['schema', 'lockfile']],
  ['completion', ['completion', 'bash']],
  ['an index', ['index', 'build', '--from', PACKAGES, '--out', '-']],
])('%s, as the npm package prints it', (_, args) => {
  const ran = run(args);
  expect(ran).toEqual(npmForm(args));
  expect(`${ran.stdout}${ran.stderr}`).not.toBe('');
});

test('files of the program are inside: the page of a graph, a validator, CycloneDX', () => {
  const demo = ['-f', join(ROOT, 'fixtures/demo'), '--from', PACKAGES];
  expect(run(['resolve', ...demo])).toMatchObject({ status: 0 });
  for (const args of [
    ['graph', '-o', 'html'],
    ['graph', '-o', 'svg'],
    ['sbom', '-o', 'cyclonedx'],
    ['check', ...demo, '--format', 'sarif'],
  ]) {
    const ran = run(args);
    expect(ran, args.join(' ')).toEqual(npmForm(args));
    expect(ran).toMatchObject({ status: 0 });
  }
});

test('a layer that zstd packed is read from a registry', async () => {
  const registry = await DockerRegistry.start();
  try {
    const yaml =
      'apiVersion: meta.pkg.crossplane.io/v1\nkind: Configuration\nmetadata:\n  name: z\n';
    const layer = await layerOf([{ name: 'package.yaml', content: yaml }], {
      compress: (tar) => mustRun('zstd', ['-19', '-c'], { input: tar }),
      annotations: BASE,
    });
    await registry.push('a/zstd', 'v1.0.0', imageOf([layer]));
    const wanted = `${registry.host}/a/zstd:v1.0.0`;
    const flags = ['--crossplane', 'v2.3.4', '--from', 'registry', '--no-write', '-o', 'json'];
    const ran = run(['resolve', wanted, ...flags]);
    expect(ran).toMatchObject({ status: 0 });
    expect(ran.stdout).toContain(`${registry.host}/a/zstd`);
  } finally {
    await registry.stop();
  }
});

test('no code is loaded from beside it', () => {
  const beside = mkdtempSync(join(folder, 'beside-'));
  const program = join(beside, 'xpkg-resolve');
  linkSync(EXECUTABLE, program);
  for (const name of ['picomatch', 'zstddec', 'undici', 'xmlbuilder2']) {
    mkdirSync(join(beside, 'node_modules', name), { recursive: true });
    writeFileSync(
      join(beside, 'node_modules', name, 'index.js'),
      `require('fs').writeFileSync(${JSON.stringify(join(beside, 'loaded'))}, '${name}');`,
    );
  }
  writeFileSync(join(beside, 'xpkg.yaml'), readFileSync(join(ROOT, 'fixtures/demo/xpkg.yaml')));
  const each = ['resolve', '--each', join(beside, '*.yaml'), '--from', PACKAGES, '--no-write'];
  expect(run(each, program)).toMatchObject({ status: 0 });
  expect(() => readFileSync(join(beside, 'loaded'))).toThrow('ENOENT');
});
