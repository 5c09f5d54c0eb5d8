import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runName } from '../../../src/base/files/file-system.js';
import { DiskCache } from '../../../src/oci/store/disk-cache.js';
import { sha256 } from '../../../src/base/digest.js';
import { disk } from '../../support/disk.js';

vi.mock('node:fs/promises', async (original) => {
  const { faultyPromises } = await import('../../support/disk.js');
  return faultyPromises(await original());
});

const BYTES = Buffer.from('a layer');
const DIGEST = sha256(BYTES);
const HEX = DIGEST.slice('sha256:'.length);
let folder: string;
let notes: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'disk-cache-'));
  notes = [];
  disk.reset();
});

afterEach(async () => {
  disk.reset();
  await rm(folder, { recursive: true });
});

function cache(mode: 'online' | 'offline' = 'online'): DiskCache {
  return new DiskCache({ folder, offline: mode === 'offline', note: (line) => notes.push(line) });
}

async function files(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function onlyFile(kind: string): Promise<string> {
  const [name] = await readdir(join(folder, 'v1', kind));
  return join(folder, 'v1', kind, name!);
}

describe('writing', () => {
  test('removes unfinished files of killed processes only', async () => {
    const unfinished = join(folder, 'v1/unfinished');
    mkdirSync(unfinished, { recursive: true });
    const [ended, running] = [2 ** 31 - 1, process.ppid].map(
      (pid) => `.${HEX}.${runName(pid)}.0123456789ab.tmp`,
    );
    for (const name of [ended!, running!]) writeFileSync(join(unfinished, name), 'half');
    await cache().keepBlob(DIGEST, BYTES);
    expect(readdirSync(unfinished)).toEqual([running]);
  });

  test('is durable: temporary name, sync, rename, sync of the folder', async () => {
    await cache().keepBlob(sha256('first'), Buffer.from('first'));
    disk.reset();
    await cache().keepBlob(DIGEST, BYTES);
    expect(disk.story()).toEqual([
      'mkdir sha256',
      'mkdir unfinished',
      `open ${HEX} (tmp)`,
      `write ${HEX} (tmp)`,
      `fsync ${HEX} (tmp)`,
      `rename ${HEX}`,
      'open sha256',
      'fsync sha256',
    ]);
    const [, , opened] = disk.calls;
    expect(opened).toMatchObject({ path: expect.stringContaining(join('v1', 'unfinished')) });
  });

  test('uses an unpredictable name and no existing file', async () => {
    await cache().keepBlob(DIGEST, BYTES);
    await cache().keepBlob(DIGEST, BYTES);
    const opened = disk.calls.filter(({ path }) => path.endsWith('.tmp') && path.includes(HEX));
    const names = opened.filter(({ what }) => what === 'open');
    expect(new Set(names.map(({ path }) => path)).size).toBe(2);
    expect(names.map(({ flags }) => flags)).toEqual(['ax', 'ax']);
  });

  test('is private to its owner, because package names may be', async () => {
    const held = cache();
    await held.keepBlob(DIGEST, BYTES);
    await held.keepRecord('tags', 'registry.example.org/secret', { tags: [] });
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      expect(mode & 0o777).toBe(entry.isFile() ? 0o600 : 0o700);
    }
    expect(entries.map(({ name }) => name).join()).not.toContain('secret');
  });
});

describe('a disk that cannot be written', () => {
  test.each([
    { code: 'ENOSPC', what: 'write', why: 'it is full' },
    { code: 'ENOSPC', what: 'fsync', why: 'it is full, and says so late' },
    { code: 'ENOSPC', what: 'mkdir', why: 'it is full, to the last folder' },
    { code: 'EDQUOT', what: 'write', why: 'the quota is used up' },
    { code: 'EROFS', what: 'mkdir', why: 'it is mounted read-only' },
    { code: 'ENOENT', what: 'mkdir', why: 'it takes no folders, like /proc' },
    { code: 'EROFS', what: 'open', why: 'it is mounted read-only, the folders being there' },
    { code: 'EACCES', what: 'open', why: 'another user owns it' },
    { code: 'EIO', what: 'rename', why: 'it is dying' },
  ])('costs a warning, not the run: $code at $what ($why)', async ({ code, what }) => {
    disk.fault = (call) => (call.what === what && call.flags !== 'r' ? code : undefined);
    const held = cache();
    await held.keepBlob(DIGEST, BYTES);
    await held.keepRecord('tags', 'r.example.org/a', { tags: ['v1'] });
    expect(notes).toEqual([expect.stringContaining(code)]);
    expect(notes[0]).toContain(folder);
    expect(await files()).toEqual([]);
    expect(await held.blob(DIGEST)).toBeUndefined();
  });

  test('is not tried again for every file', async () => {
    disk.fault = ({ what }) => (what === 'write' ? 'ENOSPC' : undefined);
    const held = cache();
    for (let i = 0; i < 5; i += 1) await held.keepRecord('tags', `r.example.org/${i}`, {});
    expect(disk.calls.filter(({ what }) => what === 'write')).toHaveLength(1);
  });

  test('can still be read', async () => {
    await cache().keepBlob(DIGEST, BYTES);
    disk.fault = ({ what }) => (what === 'read' ? undefined : 'EROFS');
    const held = cache();
    await held.keepRecord('tags', 'r.example.org/a', {});
    expect(await held.blob(DIGEST)).toEqual(BYTES);
  });

  test('cannot move damaged files, but ignores them', async () => {
    await cache().keepBlob(DIGEST, BYTES);
    await writeFile(join(folder, 'v1/blobs/sha256', HEX), 'damaged');
    disk.fault = ({ what }) => (what === 'read' ? undefined : 'EROFS');
    expect(await cache().blob(DIGEST)).toBeUndefined();
    expect(notes).toEqual([expect.stringContaining(HEX)]);
  });
});

test.each(['EACCES', 'EIO'])(
  'an unreadable entry (%s) counts as missing, with a warning',
  async (code) => {
    await cache().keepBlob(DIGEST, BYTES);
    disk.fault = ({ what }) => (what === 'read' ? code : undefined);
    expect(await cache().blob(DIGEST)).toBeUndefined();
    expect(notes).toEqual([expect.stringContaining(code)]);
  },
);

describe('records', () => {
  const QUESTION = 'r.example.org/a';

  test.each([
    { kind: 'tags', spoil: 'x', why: 'bytes gone wrong' },
    { kind: 'references', spoil: '', why: 'nothing left of it' },
    { kind: 'packages', spoil: `${sha256('{}')}\n{"tags":["v9"]}`, why: 'another answer' },
  ] as const)('damaged $kind are moved to quarantine: $why', async ({ kind, spoil }) => {
    await cache().keepRecord(kind, QUESTION, { tags: ['v1'] });
    expect(await cache().record(kind, QUESTION)).toEqual({ tags: ['v1'] });
    await writeFile(await onlyFile(kind), spoil);
    expect(await cache().record(kind, QUESTION)).toBeUndefined();
    expect(await readdir(join(folder, 'v1', kind))).toEqual([]);
    expect(await readdir(join(folder, 'v1', 'quarantine'))).toHaveLength(1);
  });

  test.each(['tags', 'references'] as const)(
    'offline, damaged %s end the run with the name of the file',
    async (kind) => {
      await cache().keepRecord(kind, QUESTION, { tags: ['v1'] });
      const file = await onlyFile(kind);
      await writeFile(file, 'damaged');
      const reading = cache('offline').record(kind, QUESTION);
      await expect(reading).rejects.toMatchObject({ code: 'BAD_DIGEST' });
      await expect(reading).rejects.toThrow(file);
    },
  );

  test('offline, a damaged package is parsed from its layer again', async () => {
    await cache().keepRecord('packages', QUESTION, {});
    await writeFile(await onlyFile('packages'), 'damaged');
    expect(await cache('offline').record('packages', QUESTION)).toBeUndefined();
  });
});

test('a folder with another format is ignored', async () => {
  await cache().keepBlob(DIGEST, BYTES);
  const others = { v0: join(folder, 'v0'), v2: join(folder, 'v2') };
  const { cp } = await import('node:fs/promises');
  for (const other of Object.values(others)) {
    await cp(join(folder, 'v1'), other, { recursive: true });
    await chmod(other, 0o500);
  }
  await rm(join(folder, 'v1'), { recursive: true });
  expect(await cache().blob(DIGEST)).toBeUndefined();
  await cache().keepBlob(sha256('other'), Buffer.from('other'));
  for (const other of Object.values(others)) {
    expect(await readdir(join(other, 'blobs', 'sha256'))).toEqual([HEX]);
    await chmod(other, 0o700);
  }
});
