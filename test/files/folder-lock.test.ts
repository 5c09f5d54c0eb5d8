import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockFolders } from '../../src/files/folder-lock.js';

let folder: string;
let lock: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'folder-lock-'));
  lock = join(folder, '.xpkg-resolve.writing');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process id above what any system gives out. */
const NO_PROCESS = 2 ** 31 - 1;

test('one at a time, and given back without a trace', () => {
  const first = lockFolders([folder]);
  expect(lockFolders([folder])).toEqual({ lock, holder: `${process.pid} ${hostname()}` });
  expect('release' in first).toBe(true);
  if ('release' in first) first.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('what a process killed while taking over a lock left behind is removed with it', () => {
  writeFileSync(`${lock}.0123456789ab`, `${NO_PROCESS} ${hostname()}`);
  writeFileSync(`${lock}.notes`, 'mine');
  const locks = lockFolders([folder]);
  if ('release' in locks) locks.release();
  expect(readdirSync(folder)).toEqual(['.xpkg-resolve.writing.notes']);
});

test('all folders or none: what is taken is given back where one is busy', () => {
  const other = mkdtempSync(join(tmpdir(), 'folder-lock-'));
  lockFolders([folder]);
  expect(lockFolders([other, folder])).toMatchObject({ lock });
  expect(readdirSync(other)).toEqual([]);
  expect(() => lockFolders([other, join(other, 'none')])).toThrow('ENOENT');
  expect(readdirSync(other)).toEqual([]);
  rmSync(other, { recursive: true });
});

test.each([
  { holder: `${NO_PROCESS} ${hostname()}`, age: 0, taken: true, why: 'its process is gone' },
  { holder: `${process.ppid} ${hostname()}`, age: 0, taken: false, why: 'its process lives' },
  { holder: `${process.pid} ${hostname()}`, age: 0, taken: true, why: 'its process had our id' },
  {
    holder: `${NO_PROCESS} elsewhere`,
    age: 0,
    taken: false,
    why: 'its process is on another machine',
  },
  { holder: `${NO_PROCESS} elsewhere`, age: 600, taken: true, why: 'no write takes ten minutes' },
  { holder: '', age: 0, taken: false, why: 'it is just being made' },
  { holder: '', age: 5, taken: true, why: 'its process was killed before it wrote its name' },
])('a lock found there is taken over: $taken, for $why', ({ holder, age, taken }) => {
  writeFileSync(lock, holder);
  const then = Date.now() / 1000 - age;
  utimesSync(lock, then, then);
  const locks = lockFolders([folder]);
  expect('release' in locks).toBe(taken);
  if ('release' in locks) locks.release();
  expect(existsSync(lock)).toBe(!taken);
  expect(readdirSync(folder)).toHaveLength(taken ? 0 : 1);
});
