import {
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { runName } from '../../../src/base/files/file-system.js';
import { fakeIo } from '../../support/fake-io.js';
import { providerYaml } from '../../support/package-yaml.js';
import { BASE, imageOf, indexOf, layerOf } from '../../support/registry/image.js';
import { instead, on, status, truncated } from '../../support/registry/faults.js';
import { writeTar } from '../../support/registry/layout.js';
import { Registry, type Fault } from '../../support/registry/registry.js';
import { DEMO_SOURCE, RESOLVE_DEMO, writeResolvedDemo } from '../../support/resolved-demo.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures');
const PARTS = ['blobs', 'index.json', 'oci-layout'];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vendor-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd: folder });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

/** Returns whether vendoring the demo warns about layers. */
async function warned(): Promise<boolean> {
  const { notes } = await run('vendor', 'world', ...DEMO_SOURCE);
  return notes.some((note) => note.startsWith('warning: ') && note.includes('reads gzip alone'));
}

/** Returns the contents of every file by path. */
async function filesIn(path: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((found) => found.isFile())) {
    const file = join(entry.parentPath, entry.name);
    files[file.slice(path.length + 1)] = await readFile(file, 'hex');
  }
  return files;
}

/** A process id that no system assigns. */
const NO_PROCESS = 2 ** 31 - 1;
const STAGED_INDEX = expect.stringMatching(/^\.vendor\..*index\.json$/);

const LEFTOVERS = [
  {
    run: runName(NO_PROCESS, hostname()),
    days: 0,
    goes: true,
    why: 'its process no longer exists',
  },
  { run: runName(process.pid, hostname()), days: 0, goes: false, why: 'its process is running' },
  {
    run: runName(NO_PROCESS, 'elsewhere'),
    days: 0,
    goes: false,
    why: 'its process is on another machine',
  },
  { run: runName(NO_PROCESS, 'elsewhere'), days: 2, goes: true, why: 'unchanged for days' },
];

/** Creates the folder of a run that last wrote some days ago. */
async function leave(path: string, days: number): Promise<void> {
  const then = Date.now() / 1000 - days * 24 * 60 * 60;
  await mkdir(join(path, 'blobs/sha256'), { recursive: true });
  for (const part of [path, join(path, 'blobs/sha256')]) await utimes(part, then, then);
}

/**
 * Resolves after the given number of failed attempts to lock; each one checks whether the owner
 * lives.
 */
function attemptsAtLock(count: number): Promise<void> {
  return new Promise((resolve) => {
    const ask = vi.spyOn(process, 'kill').mockImplementation(() => {
      if (ask.mock.calls.length === count) {
        ask.mockRestore();
        resolve();
      }
      return true;
    });
  });
}

describe('of packages that were folders', () => {
  beforeEach(() => writeResolvedDemo(folder));

  test('resolve gives the same lockfile from the layout alone', async () => {
    expect((await run('vendor', 'world', ...DEMO_SOURCE)).code).toBe(0);
    const layout = ['--from', 'layout:world', '--offline'];
    expect((await run(...RESOLVE_DEMO, ...layout, '--locked')).code).toBe(0);
    const lockfile = await readFile(join(folder, 'xpkg.lock.yaml'));
    await rm(join(folder, 'xpkg.lock.yaml'));
    expect((await run(...RESOLVE_DEMO, ...layout)).code).toBe(0);
    expect(await readFile(join(folder, 'xpkg.lock.yaml'))).toEqual(lockfile);
  });

  test('warns that releases before v2.2 cannot pull the images', async () => {
    expect(await warned()).toBe(true);
    const text = await readFile(join(folder, 'xpkg.lock.yaml'), 'utf8');
    await writeFile(
      join(folder, 'xpkg.lock.yaml'),
      text.replace(/^crossplane: .*$/m, 'crossplane: v2.2.0'),
    );
    expect(await warned()).toBe(false);
  });

  test('the same lockfile gives the same bytes, also from a layout', async () => {
    await run('vendor', 'one', ...DEMO_SOURCE, '--concurrency', '1');
    await run('vendor', 'two', ...DEMO_SOURCE);
    await run('vendor', 'two', ...DEMO_SOURCE);
    await run('vendor', 'three', '--from', 'layout:one');
    const one = await filesIn(join(folder, 'one'));
    for (const name of ['two', 'three']) expect(await filesIn(join(folder, name))).toEqual(one);
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('a package that no source has leaves everything unchanged', async () => {
    await run('vendor', 'world', ...DEMO_SOURCE);
    const before = await filesIn(folder);
    await cp(join(FIXTURES, 'packages'), join(folder, 'fewer'), { recursive: true });
    const lockfile = await readFile(join(folder, 'xpkg.lock.yaml'), 'utf8');
    const repository = /source: (\S+)/.exec(lockfile)![1]!;
    for (const name of await readdir(join(folder, 'fewer', repository, '..'))) {
      if (name.startsWith(`${repository.split('/').at(-1)}@`)) {
        await rm(join(folder, 'fewer', repository, '..', name), { recursive: true });
      }
    }
    expect((await run('vendor', 'world', '--from', 'dir:fewer')).code).toBe(5);
    await rm(join(folder, 'fewer'), { recursive: true });
    expect(await filesIn(folder)).toEqual(before);
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('a folder with other files is not changed', async () => {
    expect((await run('vendor', 'rendered', ...DEMO_SOURCE)).code).toBe(2);
    expect(await readdir(join(folder, 'rendered'))).not.toContain('oci-layout');
  });

  const image = { digest: `sha256:${'0'.repeat(64)}`, size: 1 };
  const indexWith = (ref: object) =>
    JSON.stringify({ manifests: [{ ...image, annotations: ref }] });

  test.each([
    { why: 'a file of the user', path: 'notes.txt', content: 'mine', names: 'notes.txt' },
    { why: 'a file among blobs', path: 'blobs/sha256/a', content: 'x', names: 'blobs/sha256/a' },
    {
      why: 'blobs with another algorithm',
      path: 'blobs/sha512/a',
      content: 'x',
      names: 'blobs/sha512',
    },
    {
      why: 'an image that another tool tagged',
      path: 'index.json',
      content: indexWith({ 'org.opencontainers.image.ref.name': 'v1.0.0' }),
      names: 'v1.0.0',
    },
    {
      why: 'an image without a name',
      path: 'index.json',
      content: indexWith({}),
      names: image.digest,
    },
    { why: 'an invalid index', path: 'index.json', content: '[]', names: 'index.json' },
  ])('a layout with $why is not changed', async ({ path, content, names }) => {
    await run('vendor', 'world', ...DEMO_SOURCE);
    await mkdir(join(folder, 'world', path, '..'), { recursive: true });
    await writeFile(join(folder, 'world', path), content);
    const before = await filesIn(folder);
    const { code, notes } = await run('vendor', 'world', ...DEMO_SOURCE);
    expect([code, notes.join()]).toEqual([2, expect.stringContaining(names)]);
    expect(await filesIn(folder)).toEqual(before);
  });

  test('an incomplete layout is not changed', async () => {
    await run('vendor', 'world', ...DEMO_SOURCE);
    await rm(join(folder, 'world/index.json'));
    expect((await run('vendor', 'world', ...DEMO_SOURCE)).code).toBe(2);
  });

  test('a symbolic link is kept, and its target is filled', async () => {
    await mkdir(join(folder, 'real'));
    await symlink('real', join(folder, 'world'));
    for (const _ of ['empty', 'full']) {
      expect((await run('vendor', 'world', ...DEMO_SOURCE)).code).toBe(0);
      expect((await lstat(join(folder, 'world'))).isSymbolicLink()).toBe(true);
      expect((await readdir(join(folder, 'real'))).sort()).toEqual(PARTS);
    }
  });

  test('rejects a dangling link', async () => {
    await symlink('nowhere', join(folder, 'world'));
    expect((await run('vendor', 'world', ...DEMO_SOURCE)).code).toBe(2);
    expect((await lstat(join(folder, 'world'))).isSymbolicLink()).toBe(true);
  });

  test('the working folder of a process is not replaced', async () => {
    const world = join(folder, 'world');
    await mkdir(world);
    const { ino } = await stat(world);
    const argv = ['vendor', '.', '--lock', '../xpkg.lock.yaml', ...DEMO_SOURCE];
    for (const _ of ['empty', 'full']) {
      expect(await runCli(argv, fakeIo({ cwd: world }))).toBe(0);
      expect((await stat(world)).ino).toBe(ino);
      expect((await readdir(world)).sort()).toEqual(PARTS);
    }
  });

  test.each(LEFTOVERS)(
    'leftovers of another run inside the folder are removed: $goes, for $why',
    async (row) => {
      await run('vendor', 'world', ...DEMO_SOURCE);
      const left = `.vendor.${row.run}.0123456789ab.new`;
      for (const name of [left, `${left}.old`]) await leave(join(folder, 'world', name), row.days);
      expect((await run('vendor', 'world', ...DEMO_SOURCE)).code).toBe(0);
      const stays = row.goes ? [] : [left, `${left}.old`];
      expect((await readdir(join(folder, 'world'))).sort()).toEqual([...stays, ...PARTS]);
    },
  );

  describe.each(LEFTOVERS)(
    'leftovers of another run next to the folder are removed: $goes, for $why',
    (row) => {
      test.each(['is not', 'is'])('the folder %s there', async (is) => {
        const left = `.world.${row.run}.0123456789ab.new`;
        const others = ['.other', '.world.notes'];
        for (const name of [left, ...others]) await leave(join(folder, name), row.days);
        if (is === 'is') await mkdir(join(folder, 'world'));
        expect((await run('vendor', 'world', ...DEMO_SOURCE)).code).toBe(0);
        const hidden = (await readdir(folder)).filter((name) => name.startsWith('.')).sort();
        expect(hidden).toEqual(row.goes ? others : [others[0], left, others[1]]);
      });
    },
  );

  test('does not change the folder while another process moves files in it', async () => {
    await run('vendor', 'world', ...DEMO_SOURCE);
    const world = join(folder, 'world');
    const lock = join(world, '.xpkg-resolve.writing');
    await writeFile(lock, `${process.ppid} ${hostname()}`);
    const { ino } = await stat(join(world, 'index.json'));
    const vendoring = run('vendor', 'world', ...DEMO_SOURCE);
    await attemptsAtLock(3);
    expect(await readdir(world, { recursive: true })).toContainEqual(STAGED_INDEX);
    expect((await stat(join(world, 'index.json'))).ino).toBe(ino);
    await rm(lock);
    expect((await vendoring).code).toBe(0);
    expect((await readdir(world)).sort()).toEqual(PARTS);
  });

  test('metadata alone cannot be vendored, but its bytes may come from another source', async () => {
    await run('index', ...DEMO_SOURCE, '--out', 'index.json');
    const index = ['--from', 'index:index.json'];
    expect((await run('vendor', 'world', ...index)).code).toBe(5);
    expect((await run('vendor', 'world', ...index, ...DEMO_SOURCE)).code).toBe(0);
  });
});

test('fails without a lockfile', async () => {
  expect((await run('vendor', 'world', '--offline')).code).toBe(4);
  await writeFile(join(folder, 'xpkg.lock.yaml'), '');
  expect((await run('vendor', 'world', '--offline')).code).toBe(2);
});

describe('of images at a registry', async () => {
  const base = await layerOf([{ name: 'package.yaml', content: providerYaml('p', 'a.b.org') }], {
    annotations: BASE,
  });
  const runtime = await layerOf([{ name: 'bin/provider', content: 'binary' }]);
  const [image, other] = [imageOf([runtime, base]), imageOf([base], '{"arm":1}')];
  const index = indexOf([
    { image: other, platform: { os: 'linux', architecture: 'arm64' } },
    { image, platform: { os: 'linux', architecture: 'amd64' } },
  ]);
  let registry: Registry;

  beforeEach(async () => {
    registry = await new Registry().start();
    registry.push('a/p', 'v1.0.0', index);
    const { code } = await run('resolve', `${registry.host}/a/p@v1.0.0`);
    expect(code).toBe(0);
  });

  afterEach(() => registry.stop());

  test.each([
    { why: 'what resolving reads', flags: [], blobs: [index, image, base], says: '`--full`' },
    {
      why: 'everything with --full',
      flags: ['--full'],
      blobs: [index, ...index.manifests, ...index.blobs],
      says: 'world@DIGEST',
    },
  ])('$why is copied with all digests', async ({ flags, blobs, says }) => {
    const { code, notes } = await run('vendor', 'world', ...flags);
    expect([code, notes.join()]).toEqual([0, expect.stringContaining(says)]);
    const want = new Set(blobs.map(({ digest }) => digest.slice('sha256:'.length)));
    expect(new Set(await readdir(join(folder, 'world/blobs/sha256')))).toEqual(want);
    const { manifests } = JSON.parse(await readFile(join(folder, 'world/index.json'), 'utf8'));
    expect(manifests).toEqual([
      {
        mediaType: index.mediaType,
        digest: index.digest,
        size: index.bytes.length,
        annotations: { 'org.opencontainers.image.ref.name': `${registry.host}/a/p:v1.0.0` },
      },
    ]);
  });

  test('an answer resolved by tag is vendored from the cache alone', async () => {
    const cache = ['--cache', 'cache'];
    expect((await run('resolve', `${registry.host}/a/p@v1.0.0`, ...cache)).code).toBe(0);
    const asked = registry.log.length;
    expect((await run('vendor', 'world', ...cache, '--offline')).code).toBe(0);
    expect((await run('vendor', 'again', ...cache)).code).toBe(0);
    expect(registry.asked.slice(asked).filter((line) => line.includes('/a/p/'))).toEqual([]);
  });

  test.each(['manifest', 'baseLayer', 'packageYaml'])(
    'a lockfile whose `%s` is of other bytes is refused, and nothing is written',
    async (pin) => {
      const path = join(folder, 'xpkg.lock.yaml');
      const text = await readFile(path, 'utf8');
      const edited = text.replace(new RegExp(`${pin}: sha256:.{4}`), `${pin}: sha256:0000`);
      expect(edited).not.toBe(text);
      await writeFile(path, edited);
      const before = await readdir(folder);
      const { code, notes } = await run('vendor', 'world');
      expect([code, notes.join()]).toEqual([5, expect.stringContaining(`its \`${pin}\` is`)]);
      expect(await readdir(folder)).toEqual(before);
    },
  );

  test('with --full, the cache only contains what resolving reads', async () => {
    expect((await run('vendor', 'world', '--full', '--cache', 'cache')).code).toBe(0);
    const kept = (await readdir(join(folder, 'cache/v1/blobs/sha256'))).map((x) => `sha256:${x}`);
    const manifests = [index, ...index.manifests].map(({ digest }) => digest);
    expect(new Set(kept)).toEqual(new Set([...manifests, base.digest]));
  });

  test('an interrupted runtime layer is resumed in its file', async () => {
    const cut = truncated(runtime.bytes, 20, { ETag: `"${runtime.digest}"` });
    registry.fail(on(runtime.digest, cut, 1));
    expect((await run('vendor', 'world', '--full')).code).toBe(0);
    expect(registry.log.filter(({ path }) => path.endsWith(runtime.digest))).toMatchObject([
      { range: undefined },
      { range: 'bytes=20-' },
    ]);
    const written = await readFile(join(folder, 'world/blobs/sha256', runtime.digest.slice(7)));
    expect(written.equals(runtime.bytes)).toBe(true);
  });

  test.each([
    { what: 'a runtime layer', change: () => on(runtime.digest, instead('wrong')) },
    { what: 'a config', change: () => on(other.blobs[0]!.digest, instead('wrong')) },
    { what: 'a layer that is gone', change: () => on(runtime.digest, status(404)) },
  ])('with --full, wrong bytes of $what leave no files', async ({ change }) => {
    registry.fail(change());
    const before = await readdir(folder);
    expect((await run('vendor', 'world', '--full')).code).toBe(5);
    expect(await readdir(folder)).toEqual(before);
  });

  describe('a completely vendored layout', () => {
    beforeEach(async () => {
      expect((await run('vendor', 'whole', '--full')).code).toBe(0);
    });

    test.each([
      { form: 'a folder', pack: async () => 'layout:whole' },
      {
        form: 'a tar',
        pack: async () => {
          const files = Object.entries(await filesIn(join(folder, 'whole')));
          const bytes = files.map(([name, hex]) => [name, Buffer.from(hex, 'hex')] as const);
          await writeTar(join(folder, 'whole.tar'), new Map(bytes));
          return 'layout:whole.tar';
        },
      },
    ])('$form can be used to vendor again', async ({ pack }) => {
      const from = ['--from', await pack(), '--offline'];
      expect((await run('vendor', 'again', '--full', ...from)).code).toBe(0);
      expect(await filesIn(join(folder, 'again'))).toEqual(await filesIn(join(folder, 'whole')));
    });

    test.each([
      { why: 'other bytes', content: Buffer.alloc(runtime.bytes.length) },
      { why: 'too few bytes', content: runtime.bytes.subarray(1) },
      { why: 'too many bytes', content: Buffer.concat([runtime.bytes, Buffer.from('x')]) },
    ])('$why in place of a layer are not copied', async ({ content }) => {
      await writeFile(join(folder, 'whole/blobs/sha256', runtime.digest.slice(7)), content);
      const from = ['--from', 'layout:whole', '--offline'];
      expect((await run('vendor', 'again', '--full', ...from)).code).toBe(5);
      expect(await readdir(folder)).not.toContain('again');
    });
  });

  test.each([
    { first: true, why: 'that exists' },
    { first: false, why: 'that does not exist' },
  ])(
    'of two runs into a folder $why, both succeed, and the last one has its way',
    async ({ first }) => {
      if (first) expect((await run('vendor', 'world')).code).toBe(0);
      let quick: Promise<{ readonly code: number }> | undefined;
      const meanwhile: Fault = (request, response) => {
        quick = run('vendor', 'world');
        void quick.finally(() => registry.answer(request, response));
        return true;
      };
      registry.fail(on(runtime.digest, meanwhile, 1));
      expect((await run('vendor', 'world', '--full')).code).toBe(0);
      expect(await quick).toMatchObject({ code: 0 });
      await run('vendor', 'whole', '--full');
      expect(await filesIn(join(folder, 'world'))).toEqual(await filesIn(join(folder, 'whole')));
      expect((await readdir(folder)).filter((name) => name.includes('.new'))).toEqual([]);
    },
  );

  test('a moved tag does not change what is copied', async () => {
    registry.push('a/p', 'v1.0.0', other);
    await run('vendor', 'world');
    expect(await readdir(join(folder, 'world/blobs/sha256'))).toContain(index.digest.slice(7));
  });
});
