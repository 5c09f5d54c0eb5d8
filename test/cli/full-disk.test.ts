import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { EXIT } from '../../src/cli/kit/command.js';
import { runCli } from '../../src/commands.js';
import { writeTransaction } from '../../src/base/files/transaction.js';
import { sha256 } from '../../src/base/digest.js';
import { disk, type DiskCall } from '../support/disk.js';
import { fakeIo } from '../support/fake-io.js';
import { providerYaml } from '../support/package-yaml.js';
import { packageImage } from '../support/registry/image.js';
import { Registry } from '../support/registry/registry.js';

vi.mock('node:fs', async (original) => {
  const { faultyFs } = await import('../support/disk.js');
  return faultyFs(await original());
});
vi.mock('node:fs/promises', async (original) => {
  const { faultyPromises } = await import('../support/disk.js');
  return faultyPromises(await original());
});

let folder: string;
let registry: Registry;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
  registry = await new Registry().start();
  registry.push('a/p', 'v1.0.0', await packageImage(providerYaml('p')));
  disk.reset();
});

afterEach(async () => {
  disk.reset();
  await registry.stop();
  rmSync(folder, { recursive: true });
});

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd: folder });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

const resolving = () => [
  'resolve',
  `${registry.host}/a/p:v1.0.0`,
  '--crossplane',
  'v2.3.4',
  '--cache',
  'cache',
];

/** Returns the contents of every file below the working folder, except the cache. */
function contents(): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(folder, 'cache')));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}

/** Makes calls for paths that contain `part` fail. */
function failing(code: string, what: DiskCall['what'], part: string) {
  return (call: DiskCall) =>
    call.what === what && call.flags !== 'r' && call.path.includes(part) ? code : undefined;
}

describe('a cache that cannot be written', () => {
  test.each([
    { code: 'ENOSPC', what: 'write' },
    { code: 'EROFS', what: 'mkdir' },
    { code: 'EACCES', what: 'open' },
  ] as const)(
    '$code: the answer is the same, and a warning says why nothing is kept',
    async (row) => {
      disk.fault = failing(row.code, row.what, join(folder, 'cache'));
      const { code, notes } = await run(...resolving());
      expect(code).toBe(EXIT.done);
      expect(notes.filter((note) => note.includes(row.code))).toHaveLength(1);
      expect(Object.keys(contents())).toContain(join(folder, 'xpkg.lock.yaml'));
    },
  );
});

test('a damaged cache entry is downloaded once more; offline it ends the run and is named', async () => {
  await run(...resolving());
  const blobs = join(folder, 'cache/v1/blobs/sha256');
  const parsed = join(folder, 'cache/v1/packages');
  const spoil = () => {
    for (const name of readdirSync(blobs)) writeFileSync(join(blobs, name), 'spoilt');
    rmSync(parsed, { recursive: true });
  };
  spoil();
  const before = registry.asked.length;
  const again = await run(...resolving(), '--locked');
  expect(again.code).toBe(EXIT.done);
  expect(again.notes.filter((note) => note.startsWith('warning:'))).toHaveLength(2);
  const asked = registry.asked.slice(before);
  expect(asked.filter((line) => line.includes('/blobs/'))).toHaveLength(1);
  expect(asked.filter((line) => line.includes('/manifests/'))).toHaveLength(1);
  expect((await run(...resolving(), '--offline')).code).toBe(EXIT.done);
  spoil();
  const offline = await run(...resolving(), '--offline');
  expect(offline.code).toBe(EXIT.sourceFailed);
  expect(offline.notes.join('\n')).toContain(blobs);
});

describe.each([
  { code: 'ENOSPC', what: 'write', part: '.new', why: 'the disk is full' },
  { code: 'ENOSPC', what: 'write', part: 'packages.yaml', why: 'it fills up during a write' },
  { code: 'ENOSPC', what: 'fsync', part: '.new', why: 'it reports the error late' },
  { code: 'EROFS', what: 'open', part: '', why: 'it is mounted read-only' },
  { code: 'EROFS', what: 'write', part: '', why: 'it is read-only, and the folders exist' },
  { code: 'EACCES', what: 'open', part: 'packages.yaml', why: 'one file belongs to another user' },
  { code: 'EIO', what: 'rename', part: 'packages.yaml', why: 'it fails during the renames' },
] as const)('outputs, $code at $what ($why):', ({ code, what, part }) => {
  const fail = () => {
    disk.fault = (call) =>
      call.path.startsWith(join(folder, 'cache')) ? undefined : failing(code, what, part)(call);
  };

  test('the first run leaves no files', async () => {
    fail();
    const { code: exit, notes } = await run(...resolving());
    expect(exit).toBe(EXIT.badInput);
    expect(notes.join('\n')).toMatch(new RegExp(`cannot write .*${code}`));
    expect(contents()).toEqual({});
    expect(readdirSync(folder)).toEqual(['cache']);
  });

  test('a later run leaves everything unchanged', async () => {
    await run(...resolving());
    registry.push('a/p', 'v1.1.0', await packageImage(providerYaml('p')));
    const before = contents();
    fail();
    const newer = resolving().map((word) => word.replace(':v1.0.0', ':v1.1.0'));
    expect((await run(...newer)).code).toBe(EXIT.badInput);
    expect(contents()).toEqual(before);
    disk.reset();
    expect((await run(...newer)).code).toBe(EXIT.done);
    expect(Object.keys(contents())).toEqual(Object.keys(before));
    expect(contents()).not.toEqual(before);
  });
});

test('a backup is copied if hard links are not supported', async () => {
  const files = ['a.yaml', 'b.yaml'].map((name) => join(folder, name));
  for (const file of files) writeFileSync(file, 'old');
  disk.fault = ({ what, path }) => {
    if (what === 'link') return 'EPERM';
    return what === 'rename' && path === files[1] ? 'EIO' : undefined;
  };
  const writing = writeTransaction(files.map((path) => ({ path, content: 'new' })));
  await expect(writing).rejects.toThrow('EIO');
  expect(contents()).toEqual(Object.fromEntries(files.map((file) => [file, 'old'])));
});

test('order of writes: the journal, each temporary file, the completion record, then the renames, each flushed before the next', async () => {
  const outputs = ['a.yaml', 'b.yaml'].map((name) => ({ path: join(folder, name), content: 'x' }));
  await writeTransaction(outputs);
  const ours = disk.story().filter((line) => !line.includes('.xpkg-resolve.writing'));
  const inFolder = folder.split('/').at(-1);
  expect(ours.filter((line) => !line.startsWith('mkdir'))).toEqual([
    'open .xpkg-resolve.journal',
    'write .xpkg-resolve.journal',
    'fsync .xpkg-resolve.journal',
    `open ${inFolder}`,
    `fsync ${inFolder}`,
    'open a.yaml (new)',
    'write a.yaml (new)',
    'fsync a.yaml (new)',
    'open b.yaml (new)',
    'write b.yaml (new)',
    'fsync b.yaml (new)',
    `open ${inFolder}`,
    `fsync ${inFolder}`,
    'write .xpkg-resolve.journal',
    'fsync .xpkg-resolve.journal',
    'rename a.yaml',
    'rename b.yaml',
    `open ${inFolder}`,
    `fsync ${inFolder}`,
  ]);
  const opened = disk.calls.filter(({ what, flags }) => what === 'open' && flags !== 'r');
  expect(opened.map(({ flags }) => flags)).toEqual(['ax', 'ax', 'ax']);
});

test('outputs below a folder that cannot be written, like /proc, end with an error', async () => {
  disk.fault = failing('ENOENT', 'mkdir', 'rendered');
  const { code, notes } = await run(...resolving());
  expect([code, notes.join()]).toEqual([EXIT.badInput, expect.stringContaining('ENOENT')]);
  expect(readdirSync(folder)).toEqual(['cache']);
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('`vendor`', () => {
  test.each([
    { code: 'ENOSPC', what: 'write', part: 'blobs', why: 'the disk is full' },
    { code: 'EROFS', what: 'mkdir', part: 'world', why: 'it is mounted read-only' },
    { code: 'ENOENT', what: 'mkdir', part: 'world', why: 'it does not allow folders, like /proc' },
    { code: 'EIO', what: 'rename', part: 'world', why: 'the layout cannot be renamed' },
  ] as const)('$code at $what leaves no part of a layout: $why', async ({ code, what, part }) => {
    await run(...resolving());
    const vendor = ['vendor', 'world', '--cache', 'cache'];
    const before = contents();
    disk.fault = (call) =>
      call.path.startsWith(join(folder, 'cache')) ? undefined : failing(code, what, part)(call);
    const failed = await run(...vendor);
    expect(failed.code).toBe(EXIT.badInput);
    expect(failed.notes.join('\n')).toContain(code);
    expect(contents()).toEqual(before);
    expect(readdirSync(folder).sort()).toEqual(['cache', 'rendered', 'xpkg.lock.yaml']);
    disk.reset();
    expect((await run(...vendor)).code).toBe(EXIT.done);
  });

  test.each(['ENOSPC', 'EIO'])(
    '%s where a whole layer goes is no trouble of a registry',
    async (code) => {
      await run(...resolving());
      const before = contents();
      const config = sha256('{}').slice('sha256:'.length);
      disk.fault = failing(code, 'write', config);
      const failed = await run('vendor', 'world', '--full', '--cache', 'cache');
      expect([failed.code, failed.notes.join()]).toEqual([2, expect.stringContaining(code)]);
      expect(contents()).toEqual(before);
    },
  );

  test.each([1, 2, 3, 4])('an existing layout stays complete: step %d', async (step) => {
    await run(...resolving());
    await run('vendor', 'world', '--cache', 'cache');
    const before = contents();
    let steps = 0;
    disk.fault = ({ what, path }) =>
      what === 'rename' &&
      /world\/(?:index\.json|oci-layout|blobs\/.*)$/.test(path) &&
      (steps += 1) === step
        ? 'EIO'
        : undefined;
    expect((await run('vendor', 'world', '--cache', 'cache')).code).toBe(EXIT.badInput);
    expect(contents()).toEqual(before);
    expect(readdirSync(join(folder, 'world')).sort()).toEqual([
      'blobs',
      'index.json',
      'oci-layout',
    ]);
  });

  test('the files of a layout have the usual permissions', async () => {
    await run(...resolving());
    await run('vendor', 'world', '--cache', 'cache');
    const blobs = join(folder, 'world/blobs/sha256');
    const others = modeOf(join(folder, 'world/index.json'));
    for (const name of readdirSync(blobs)) expect(modeOf(join(blobs, name))).toBe(others);
  });
});
