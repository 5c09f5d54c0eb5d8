import { describe, expect, test } from 'vitest';
import { parseFolderPath, versionsPaths } from '../../src/sources/dir-source.js';

const HEX = 'ab'.repeat(32);

describe('a path is read as', () => {
  test.each([
    { path: 'xpkg.io/a/b@v1.0.0', repository: 'xpkg.io/a/b', version: 'v1.0.0', why: 'usual' },
    { path: 'acme/cfg@v1', repository: 'acme/cfg', version: 'v1', why: 'no registry' },
    { path: 'cfg@v1', repository: 'cfg', version: 'v1', why: 'one part' },
    { path: 'host@5000/a/b@v1', repository: 'host:5000/a/b', version: 'v1', why: 'a port' },
    { path: 'host:5000/a/b@v1', repository: 'host:5000/a/b', version: 'v1', why: 'a port as is' },
    { path: 'xpkg.io/b@5000', repository: 'xpkg.io/b', version: '5000', why: 'digits, no port' },
    { path: 'xpkg.io/b@>=v1.0.0', repository: 'xpkg.io/b', version: '>=v1.0.0', why: 'a range' },
    {
      path: `xpkg.io/b@sha256@${HEX}`,
      repository: 'xpkg.io/b',
      version: `sha256:${HEX}`,
      why: 'a digest, every colon an @',
    },
    {
      path: `xpkg.io/b@sha256:${HEX}`,
      repository: 'xpkg.io/b',
      version: `sha256:${HEX}`,
      why: 'a digest as is',
    },
  ])('$path: $why', ({ path, repository, version }) => {
    expect(parseFolderPath(path.split('/'))).toEqual({ repository, version });
  });

  test.each([
    { path: 'xpkg.io/a/b', why: 'no version' },
    { path: 'xpkg.io/a/b@', why: 'an empty version' },
    { path: 'xpkg.io/a/@v1', why: 'no name' },
    { path: 'xpkg.io/a@v1/b@v2', why: 'a package inside a package' },
    { path: 'host@port/a/b@v1', why: 'no port' },
  ])('nothing, $path: $why', ({ path }) => {
    expect(parseFolderPath(path.split('/'))).toBeUndefined();
  });
});

describe('no path is valid for', () => {
  test.each([
    '',
    '..',
    '../etc',
    'xpkg.io/../../etc/b',
    'xpkg.io/./b',
    'xpkg.io//b',
    '/etc/b',
    'xpkg.io/a/..',
    'xpkg.io\\..\\b',
    'xpkg.io/a\0/b',
    'xpkg.io/a/b:v1.0.0',
    'xpkg.io/a/b@v1.0.0',
    'host@5000/a/b',
    'host:x/a/b',
    'C:/b',
  ])('%j', (repository) => {
    expect(versionsPaths(repository)).toEqual([]);
  });
});
