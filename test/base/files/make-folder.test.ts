import type * as promises from 'node:fs/promises';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeFolder } from '../../../src/base/files/file-system.js';

/** Runs before a folder is created. */
const before = vi.hoisted(() => ({ mkdir: (_path: string): Promise<void> => Promise.resolve() }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof promises>();
  const mkdir = async (path: string, options: object) => {
    await before.mkdir(path);
    return real.mkdir(path, options);
  };
  return { ...real, mkdir };
});

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'make-folder-'));
});

afterEach(async () => {
  before.mkdir = () => Promise.resolve();
  await rm(root, { recursive: true });
});

function absent(): Error {
  return Object.assign(new Error('ENOENT: made up'), { code: 'ENOENT', syscall: 'mkdir' });
}

test('creates missing folders with the mode, and accepts existing ones', async () => {
  for (const _ of ['missing', 'there']) await makeFolder(join(root, 'a/b/c'), 0o700);
  expect((await stat(join(root, 'a/b/c'))).mode & 0o777).toBe(0o700);
});

test('a file in the way is an error', async () => {
  await writeFile(join(root, 'a'), '');
  await expect(makeFolder(join(root, 'a'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeFolder(join(root, 'a/b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test('a parent that refuses new folders, such as /proc, is an error', async () => {
  before.mkdir = () => Promise.reject(absent());
  await expect(makeFolder(join(root, 'a'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a folder that another process creates meanwhile is accepted', async () => {
  let refused = false;
  before.mkdir = async (path) => {
    if (refused || !path.endsWith('b')) return;
    refused = true;
    await makeFolder(join(root, 'a'));
    throw absent();
  };
  await makeFolder(join(root, 'a/b'));
  expect((await stat(join(root, 'a/b'))).isDirectory()).toBe(true);
});

test('a parent that another process removes meanwhile is created again', async () => {
  let taken = false;
  before.mkdir = async (path) => {
    if (taken || !path.endsWith('c')) return;
    taken = true;
    await rm(join(root, 'a'), { recursive: true, force: true });
  };
  await makeFolder(join(root, 'a/b'));
  await makeFolder(join(root, 'a/b/c'));
  expect((await stat(join(root, 'a/b/c'))).isDirectory()).toBe(true);
});
