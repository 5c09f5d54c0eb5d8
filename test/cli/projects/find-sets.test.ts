import type * as Fs from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WRITTEN_MARK } from '../../../src/base/yaml/write-yaml.js';
import { findProjectFiles } from '../../../src/cli/projects/find-projects.js';

// Root may read every folder.
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof Fs>();
  const readdir = (path: string, options: never, take: (...given: unknown[]) => void) => {
    if (!path.includes('closed')) return fs.readdir(path, options, take);
    return take(Object.assign(new Error('permission denied'), { code: 'EACCES' }));
  };
  return { ...fs, readdir };
});

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'find-sets-'));
  for (const name of ['a/east', 'a/west', '.hidden', 'node_modules/x']) {
    await write(`${name}/xpkg.yaml`);
  }
});

afterEach(() => rm(folder, { recursive: true }));

async function write(path: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), '');
}

const found = (...patterns: readonly string[]) => findProjectFiles(patterns, folder);
const EAST = 'a/east/xpkg.yaml';
const WEST = 'a/west/xpkg.yaml';

test('does not search hidden and ignored folders unless they are named', async () => {
  for (const name of ['.hidden/.old', '.hidden/new']) {
    await write(`${name}/xpkg.yaml`);
  }
  await mkdir(join(folder, 'b'));
  expect(await found('**/xpkg.yaml')).toEqual([EAST, WEST]);
  const fromBelow = await findProjectFiles([join(folder, '**/xpkg.yaml')], join(folder, 'b'));
  expect(fromBelow).toEqual([`../${EAST}`, `../${WEST}`]);
  expect(await found('.hidden/*/xpkg.yaml')).toEqual(['.hidden/new/xpkg.yaml']);
  expect(await found('.hidden/.o*/xpkg.yaml')).toEqual(['.hidden/.old/xpkg.yaml']);
  expect(await found('**/.hidden/xpkg.yaml', 'node_modules/*/xpkg.yaml')).toEqual([
    '.hidden/xpkg.yaml',
    'node_modules/x/xpkg.yaml',
  ]);
});

test.each([
  { why: 'by its full path', spelled: () => join(folder, EAST) },
  { why: 'by a pattern of full paths', spelled: () => join(folder, 'a/e*/xpkg.yaml') },
  { why: 'from a parent folder', spelled: () => join('..', folder.split('/').at(-1)!, EAST) },
  { why: 'with a dot', spelled: () => `./${EAST}` },
])('a project that is named twice, once $why, is used once', async ({ spelled }) => {
  expect(await found(spelled(), 'a/*/xpkg.yaml')).toEqual([EAST, WEST]);
  expect(await found(spelled())).toEqual([EAST]);
});

describe('unreadable paths are errors', () => {
  test('a dangling link', async () => {
    await mkdir(join(folder, 'a/lost'));
    await symlink('nowhere', join(folder, 'a/lost/xpkg.yaml'));
    expect(await found('a/*/xpkg.yaml')).toEqual([EAST, 'a/lost/xpkg.yaml', WEST]);
  });

  test('a dangling link to a folder, only if the pattern needs it', async () => {
    await symlink('../gone', join(folder, 'a/lost'));
    const searching = found('a/*/xpkg.yaml');
    await expect(searching).rejects.toThrow('cannot look for sets in `a/lost` (ENOENT)');
    expect(await found('a/*/xpkg.yaml', '!a/lost/**')).toEqual([EAST, WEST]);
    expect(await found('a/**/xpkg.yaml')).toEqual([EAST, WEST]);
    expect(await found('*/east/xpkg.yaml')).toEqual([EAST]);
  });

  test('a folder', async () => {
    await write('a/closed/xpkg.yaml');
    const searching = found('a/*/xpkg.yaml');
    await expect(searching).rejects.toThrow('cannot look for sets in `a/closed` (EACCES)');
    await expect(searching).rejects.toMatchObject({
      hint: expect.stringContaining("`--each '!a/closed/**'`") as string,
    });
    expect(await found('a/*/xpkg.yaml', '!a/closed/**')).toEqual([EAST, WEST]);
    await expect(found('a/c*/*.yaml', '!a/closed/**')).rejects.toThrow('is left out again');
  });

  test('does not read a folder that cannot match the pattern', async () => {
    await write('b/closed/xpkg.yaml');
    expect(await found('a/*/xpkg.yaml')).toEqual([EAST, WEST]);
  });
});

test('ignores files that this tool wrote, unless they are named', async () => {
  await writeFile(join(folder, 'a/east/xpkg.lock.yaml'), `${WRITTEN_MARK}. Commit it.`);
  expect(await found('a/*/*.yaml')).toEqual([EAST, WEST]);
  await expect(found('a/*/*.yaml', '!a/*/xpkg.yaml')).rejects.toThrow('was written by');
  const lock = 'a/east/xpkg.lock.yaml';
  expect(await found(lock)).toEqual([lock]);
  await expect(found('a/*/*.lock.yaml')).rejects.toThrow('was written by xpkg-resolve');
});

test('follows links to projects and to folders with projects', async () => {
  await mkdir(join(folder, 'b'));
  await symlink(join(folder, 'a/east'), join(folder, 'b/linked'));
  await symlink(join(folder, EAST), join(folder, 'b/xpkg.yaml'));
  expect(await found('b/**/xpkg.yaml')).toEqual(['b/linked/xpkg.yaml', 'b/xpkg.yaml']);
});
