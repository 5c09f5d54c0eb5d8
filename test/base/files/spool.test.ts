import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Spool, spooledInMemory } from '../../../src/base/files/spool.js';

const MIB = 2 ** 20;
/** More than the memory limit of all spools. */
const MUCH = 40 * MIB;

let folder: string;
let before: string | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spool-'));
  before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
});

afterEach(async () => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  await rm(folder, { recursive: true, force: true });
});

/** Bytes in which no two parts are equal. */
function bytesOf(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE(at, at);
  return bytes;
}

async function filled(bytes: Uint8Array, chunk: number): Promise<Spool> {
  const spool = new Spool();
  for (let at = 0; at < bytes.length; at += chunk) await spool.add(bytes.subarray(at, at + chunk));
  return spool;
}

describe.each([
  { why: 'nothing', size: 0, chunk: 1 },
  { why: 'a little', size: 1000, chunk: 7 },
  { why: 'a block', size: 256 * 1024, chunk: 256 * 1024 },
  { why: 'a block and a byte', size: 256 * 1024 + 1, chunk: 100_000 },
  { why: 'more than fits', size: MUCH, chunk: 5 * MIB },
])('$why', ({ size, chunk }) => {
  test('returns the same bytes twice', async () => {
    const bytes = bytesOf(size);
    const spool = await filled(bytes, chunk);
    for (const _ of [1, 2]) expect((await buffer(spool.chunks())).equals(bytes)).toBe(true);
    await spool.close();
    expect(spooledInMemory()).toBe(0);
  });

  test('is empty after a restart', async () => {
    const spool = await filled(bytesOf(size), chunk);
    await spool.restart();
    await spool.add(Buffer.from('anew'));
    expect(String(await buffer(spool.chunks()))).toBe('anew');
    await spool.close();
    expect(spooledInMemory()).toBe(0);
  });
});

test('all spools share one memory limit', async () => {
  const spools: Spool[] = [];
  for (let i = 0; i < 8; i++) {
    spools.push(await filled(bytesOf(10 * MIB), MIB));
    // Each spool that uses a file has one block in progress.
    expect(spooledInMemory()).toBeLessThanOrEqual(35 * MIB);
  }
  const expected = bytesOf(10 * MIB);
  for (const spool of spools) {
    expect((await buffer(spool.chunks())).equals(expected)).toBe(true);
    await spool.close();
  }
  expect(spooledInMemory()).toBe(0);
});

test('the file of a spool is unlinked at once', async () => {
  const spool = await filled(bytesOf(MUCH), MIB);
  expect(readdirSync(folder)).toEqual([]);
  await spool.close();
});

test('a missing folder for temporary files is an error that names it', async () => {
  await rm(folder, { recursive: true });
  await expect(filled(bytesOf(MUCH), MIB)).rejects.toMatchObject({
    name: 'InputError',
    message: expect.stringContaining(folder) as string,
    hint: expect.stringContaining('TMPDIR') as string,
  });
});
