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
import { delimiter, join } from 'node:path';
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

test('there are the three that the documentation tells of', () => {
  const pages = ['docs/testing.md', 'fixtures/examples/README.md'];
  expect(projects).toEqual(['configuration-author', 'platform-team', 'tool-author']);
  for (const page of pages) expect(readFileSync(join(ROOT, page), 'utf8')).toContain('examples');
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
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules/xpkg-resolve'));
    for (const name of Object.keys(devDependencies))
      if (name !== 'xpkg-resolve')
        symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
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
