import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { providers } from '../support/universes.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
const HOST = 'xpkg.example.org/acme';
const SPACE = '\n    # .\n    # .\n    # .\n';

let repository: string;

beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'git-merge-'));
  const versions = { 'v1.0.0': {}, 'v1.1.0': {}, 'v1.2.0': {} };
  const digests = Object.fromEntries(
    ['a', 'b', 'c'].map((name) => [
      `${HOST}/${name}`,
      Object.fromEntries(
        Object.keys(versions).map((version, i) => [
          version,
          { digest: `sha256:${name.repeat(63)}${i}` },
        ]),
      ),
    ]),
  );
  write('index.json', JSON.stringify(providers(digests)));
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'test@example.org');
  git('config', 'user.name', 'test');
  const driver = `${process.execPath} ${MAIN} merge-lock %O %A %B %P --from index:index.json`;
  git('config', 'merge.xpkg-lock.driver', driver);
  write('.gitattributes', 'xpkg.lock.yaml merge=xpkg-lock\n');
});

afterEach(() => rmSync(repository, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(repository, path)), { recursive: true });
  writeFileSync(join(repository, path), text);
}

function read(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}

function git(...words: string[]): void {
  execFileSync('git', words, { cwd: repository, stdio: 'pipe' });
}

function attempt(...words: string[]): number | null {
  return spawnSync('git', words, { cwd: repository, stdio: 'pipe' }).status;
}

/** Resolves these packages in a folder and commits the outputs. */
function commit(folder: string, packages: Readonly<Record<string, string>>): void {
  const entries = Object.entries(packages).map(
    ([name, version]) => `    - provider: ${HOST}/${name}\n      version: "${version}"`,
  );
  const head = 'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec:\n';
  const spec = `  crossplane: v2.0.2\n  packages:\n${entries.join(SPACE)}\n`;
  write(join(folder, 'xpkg.yaml'), head + spec);
  resolve(folder, '--upgrade');
  git('add', '-A');
  git('commit', '-q', '-m', 'set');
}

function resolve(folder: string, ...flags: string[]): void {
  const from = `index:${join(repository, 'index.json')}`;
  const words = [MAIN, 'resolve', '--from', from, '--out', '-', ...flags];
  execFileSync(process.execPath, words, { cwd: join(repository, folder), stdio: 'pipe' });
}

/** Creates two branches that each changed the versions of different packages and added one. */
function branches(folder: string): void {
  commit(folder, { a: '~v1.0.0', b: '~v1.0.0' });
  git('checkout', '-q', '-b', 'other');
  commit(folder, { a: '~v1.0.0', b: '~v1.1.0' });
  git('checkout', '-q', 'main');
  commit(folder, { c: '~v1.2.0', a: '~v1.1.0', b: '~v1.0.0' });
}

const MERGED = { a: 'v1.1.0', b: 'v1.1.0', c: 'v1.2.0' };

function versions(folder: string): Readonly<Record<string, string>> {
  const found = read(join(folder, 'xpkg.lock.yaml')).matchAll(
    /source: \S+\/(\w)\n\s+version: (\S+)/g,
  );
  return Object.fromEntries(Array.from(found, ([, name, version]) => [name, version]));
}

test.each(['.', 'envs/prod'])('git merge merges the lockfile in %s', (folder) => {
  branches(folder);
  expect(attempt('merge', '-q', '-m', 'merge', 'other')).toBe(0);
  expect(versions(folder)).toEqual(MERGED);
  resolve(folder, '--locked');
});

test('git rebase merges it, too', () => {
  branches('.');
  git('checkout', '-q', 'other');
  expect(attempt('rebase', '-q', 'main')).toBe(0);
  expect(versions('.')).toEqual(MERGED);
  resolve('.', '--locked');
});

test('a conflict in xpkg.yaml leaves one in the lockfile, which resolve replaces', () => {
  commit('.', { a: '~v1.0.0' });
  git('checkout', '-q', '-b', 'other');
  commit('.', { a: '~v1.1.0' });
  git('checkout', '-q', 'main');
  commit('.', { a: '~v1.2.0' });
  const before = read('xpkg.lock.yaml');
  expect(attempt('merge', '-q', '-m', 'merge', 'other')).toBe(1);
  expect(read('xpkg.lock.yaml')).toBe(before);
  const status = execFileSync('git', ['status', '--short'], { cwd: repository, encoding: 'utf8' });
  expect(status).toContain('UU xpkg.lock.yaml');
  git('checkout', '--theirs', 'xpkg.yaml');
  resolve('.');
  expect(versions('.')).toEqual({ a: 'v1.1.0' });
});
