import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lockFolders, waitForLock, withLock } from '../../../src/base/files/folder-lock.js';
import { InputError } from '../../../src/base/errors.js';

let folder: string;
let lock: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'folder-lock-'));
  lock = join(folder, '.xpkg-resolve.writing');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process id that no system assigns. */
const NO_PROCESS = 2 ** 31 - 1;

test('one process at a time holds a lock, and releasing it removes the file', () => {
  const first = lockFolders([folder]);
  expect(lockFolders([folder])).toEqual({ lock, pid: String(process.pid), host: hostname() });
  expect('release' in first).toBe(true);
  if ('release' in first) first.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('a renamed lock of a killed process is removed', () => {
  writeFileSync(`${lock}.0123456789ab`, `${NO_PROCESS} ${hostname()}`);
  writeFileSync(`${lock}.notes`, 'mine');
  const locks = lockFolders([folder]);
  if ('release' in locks) locks.release();
  expect(readdirSync(folder)).toEqual(['.xpkg-resolve.writing.notes']);
});

test('all folders are locked or none: locks are released if one is busy', () => {
  const other = mkdtempSync(join(tmpdir(), 'folder-lock-'));
  lockFolders([folder]);
  expect(lockFolders([other, folder])).toMatchObject({ lock });
  expect(readdirSync(other)).toEqual([]);
  expect(() => lockFolders([other, join(other, 'none')])).toThrow('ENOENT');
  expect(readdirSync(other)).toEqual([]);
  rmSync(other, { recursive: true });
});

const LIVES = `${process.ppid} ${hostname()}`;
const startedAt = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[21];

test.each([
  { holder: `${NO_PROCESS} ${hostname()}`, age: 0, taken: true, why: 'its process is gone' },
  { holder: LIVES, age: 0, taken: false, why: 'its process lives' },
  { holder: LIVES, age: 86_400, taken: false, why: 'its process lives, a day later too' },
  { holder: LIVES, age: -86_400, taken: false, why: 'its process lives, whatever the clock says' },
  { holder: `${process.pid} ${hostname()}`, age: 0, taken: true, why: 'its process had our id' },
  {
    holder: `${NO_PROCESS} elsewhere`,
    age: 59,
    taken: false,
    why: 'its process is on another machine',
  },
  { holder: `${NO_PROCESS} elsewhere`, age: 61, taken: true, why: 'no write takes a minute' },
  { holder: `${NO_PROCESS} elsewhere`, age: -61, taken: true, why: 'clocks are that far apart' },
  { holder: '', age: 0, taken: false, why: 'it is just being made' },
  { holder: '', age: 5, taken: true, why: 'its process was killed before it wrote its name' },
])('an existing lock is taken over: $taken, because $why', ({ holder, age, taken }) => {
  writeFileSync(lock, holder);
  vi.useFakeTimers({ toFake: ['Date'], now: statSync(lock).mtimeMs + age * 1000 });
  const locks = lockFolders([folder]);
  vi.useRealTimers();
  expect('release' in locks).toBe(taken);
  if ('release' in locks) locks.release();
  expect(existsSync(lock)).toBe(!taken);
  expect(readdirSync(folder)).toHaveLength(taken ? 0 : 1);
});

test.runIf(process.platform === 'linux')(
  'a process that reuses the id of a killed one does not hold its lock',
  () => {
    const started = startedAt(process.ppid);
    writeFileSync(lock, `${process.ppid}@${started} ${hostname()}`);
    expect(lockFolders([folder])).toMatchObject({ pid: String(process.ppid) });
    writeFileSync(lock, `${process.ppid}@${Number(started) + 1} ${hostname()}`);
    const locks = lockFolders([folder]);
    expect('release' in locks).toBe(true);
    if ('release' in locks) locks.release();
  },
);

test.each([
  { host: hostname(), says: `\`ps -p ${process.ppid}\` shows no xpkg-resolve` },
  { host: 'elsewhere', says: 'taken over after 60 seconds' },
])('a timeout for a lock of $host has a hint', async ({ host, says }) => {
  symlinkSync(`${process.ppid} ${host}`, lock);
  const pauses: number[] = [];
  const error: unknown = await waitForLock(
    () => withLock(folder, async () => {}),
    async (ms) => pauses.push(ms),
  ).catch((thrown: unknown) => thrown);
  expect(pauses.reduce((sum, ms) => sum + ms)).toBe(10_000);
  expect(error).toBeInstanceOf(InputError);
  expect(error).toMatchObject({
    message: expect.stringContaining(`${process.ppid} on ${host}`),
    hint: expect.stringContaining(says),
  });
  expect((error as InputError).hint).toContain('remove that file');
});
