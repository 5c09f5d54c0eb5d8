import { execFileSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest; // ours

let packed: readonly string[];
beforeAll(() => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const report = execFileSync('npm', args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(report) as [{ files: { path: string }[] }]; // npm's documented shape
  packed = files.map(({ path }) => path);
});

test('the package contains every file that package.json refers to', () => {
  const named = [
    ...Object.values(manifest.bin),
    ...Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    ),
  ].map((path) => path.replace(/^\.\//, ''));
  expect(named.length).toBeGreaterThanOrEqual(6);
  expect(packed).toEqual(expect.arrayContaining(named));
});

test('the last build runs by its name, also if npm linked an earlier build', () => {
  for (const path of Object.values(manifest.bin)) {
    expect(() => accessSync(join(ROOT, path), constants.X_OK)).not.toThrow();
  }
});

test('the licenses of packages that became part of ours come along', () => {
  expect(packed).toContain('dist/LICENSES.txt');
  const licenses = readFileSync(join(ROOT, 'dist/LICENSES.txt'), 'utf8');
  for (const name of ['js-yaml', 'yargs', 'semver']) {
    expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, 'm'));
  }
  // Libraries of yargs for its help, which is not used.
  expect(licenses).not.toMatch(/^(?:cliui|string-width|y18n) /m);
});

test('the package contains the files for users, and none for developers', () => {
  expect(packed).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'CHANGELOG.md']));
  const strays = packed.filter(
    (path) =>
      !/^(dist\/.*\.(js|cjs|d\.ts|css)|dist\/(validators\/\w+\.)?LICENSES\.txt|[A-Z]+(\.md)?|package\.json)$/.test(
        path,
      ),
  );
  expect(strays).toEqual([]);
});
