import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const EXAMPLES = join(ROOT, 'fixtures/examples');
const projects = readdirSync(EXAMPLES).filter((name) => !name.endsWith('.md'));

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly scripts: { readonly test: string };
}

function manifestOf(project: string): Manifest {
  return JSON.parse(readFileSync(join(EXAMPLES, project, 'package.json'), 'utf8')) as Manifest;
}

test('the folder has the examples that its README lists', () => {
  const page = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
  expect(projects).toEqual(['configuration-author', 'platform-team', 'tool-author', 'typescript']);
  for (const project of projects) expect(page).toContain(`| [${project}](${project}) |`);
  expect(readFileSync(join(ROOT, 'docs/testing.md'), 'utf8')).toContain('fixtures/examples');
});

test('the one in TypeScript needs no cast, and switches nothing off', () => {
  const folder = join(EXAMPLES, 'typescript');
  const files = ['src', 'test'].flatMap((name) =>
    readdirSync(join(folder, name)).map((file) => join(folder, name, file)),
  );
  expect(files.length).toBeGreaterThan(4);
  for (const file of files)
    expect(readFileSync(file, 'utf8')).not.toMatch(
      /\bas (?:[A-Z{]|unknown|never|any\b)|: any\b|@ts-|[\w)\]]![.;,)]/,
    );
});

describe.each(projects)('%s', (project) => {
  const { devDependencies, scripts } = manifestOf(project);

  test('needs nothing that is not installed here, at the same version', () => {
    for (const [name, version] of Object.entries(devDependencies)) {
      if (name === 'xpkg-resolve') continue;
      const installed = JSON.parse(
        readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'),
      ) as { version: string };
      expect(installed.version).toBe(version);
    }
  });

  test('passes, as it does for who installs it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'example-'));
    cpSync(join(EXAMPLES, project), folder, { recursive: true });
    for (const name of Object.keys(devDependencies)) {
      const installed = join(folder, 'node_modules', name);
      mkdirSync(dirname(installed), { recursive: true });
      symlinkSync(name === 'xpkg-resolve' ? ROOT : join(ROOT, 'node_modules', name), installed);
    }
    const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env;
    const path = `${join(ROOT, 'node_modules/.bin')}${delimiter}${env['PATH']}`;
    const { status, stdout, stderr } = spawnSync('sh', ['-c', scripts.test], {
      cwd: folder,
      env: { ...env, PATH: path, NO_COLOR: '1' },
      encoding: 'utf8',
    });
    expect(status, `${stdout}${stderr}`).toBe(0);
    rmSync(folder, { recursive: true });
  });
});
