import type * as fs from 'node:fs';
import type * as promises from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PackageSource } from '../../../src/sources/package-source.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { openLayoutSource, openXpkgSource } from '../../../src/sources/images/image-source.js';
import { providerYaml } from '../../support/package-yaml.js';
import { packageImage } from '../../support/registry/image.js';
import { layoutFiles, named, writeFiles, writeTar } from '../../support/registry/layout.js';
import { xpkgFiles } from '../../support/registry/xpkg.js';

/** Parts of paths with a permission error; tests may run as root. */
const locked = vi.hoisted(() => ({ part: undefined as string | undefined }));

function refusal(path: unknown): Error | undefined {
  if (locked.part === undefined || !String(path).includes(locked.part)) return undefined;
  const error = new Error(`EACCES: permission denied, open '${String(path)}'`);
  return Object.assign(error, { code: 'EACCES', syscall: 'open' });
}

function guarded<Args extends readonly [unknown, ...unknown[]], T>(
  call: (...args: Args) => Promise<T>,
) {
  return async (...args: Args) => {
    const refused = refusal(args[0]);
    if (refused !== undefined) throw refused;
    return call(...args);
  };
}

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof promises>();
  return { ...real, readFile: guarded(real.readFile), open: guarded(real.open) };
});

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const createReadStream = ((path: string, options: object) => {
    const refused = refusal(path);
    if (refused === undefined) return real.createReadStream(path, options);
    return new Readable({ read: (): void => void 0, construct: (done) => done(refused) });
  }) as typeof real.createReadStream;
  return { ...real, createReadStream };
});

const TARGET = targetFor('v2.3.4')!;
const P = 'xpkg.io/a/p';
const image = await packageImage(providerYaml('p'));
const layer = image.blobs.at(-1)!.digest.slice('sha256:'.length);
const files = layoutFiles([{ image, annotations: named(`${P}:v1.0.0`) }]);
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unreadable-'));
});

afterEach(async () => {
  locked.part = undefined;
  await rm(folder, { recursive: true });
});

function layoutAt(path: string): Promise<PackageSource> {
  const options = { shown: 'layout:X', name: undefined, note: () => undefined };
  return openLayoutSource(path, options);
}

function xpkgAt(path: string): Promise<PackageSource> {
  return openXpkgSource(path, { shown: 'xpkg:X', repository: P, tag: 'v1.0.0' });
}

async function xpkg(): Promise<string> {
  const entries = [{ name: 'package.yaml', content: providerYaml('p') }];
  return writeTar(join(folder, 'p.xpkg'), await xpkgFiles([{ entries, label: 'base' }]));
}

const FORMS = [
  { form: 'the index of a layout', make: () => writeFiles(folder, files), part: 'index.json' },
  { form: 'a blob of a layout', make: () => writeFiles(folder, files), part: layer },
  { form: 'a tar', make: () => writeTar(join(folder, 'x.tar'), files), part: 'x.tar' },
  { form: 'a .xpkg file', make: xpkg, open: xpkgAt, part: 'p.xpkg' },
];

test.each(FORMS)(
  'an unreadable $form is a source error, not a bug or damage',
  async ({ make, open = layoutAt, part }) => {
    const path = await make();
    const read = async () => (await open(path)).fetch({ repository: P, version: 'v1.0.0' }, TARGET);
    expect((await read())?.contents.metas).toHaveLength(1);
    locked.part = part;
    await expect(read()).rejects.toMatchObject({
      code: 'BAD_SOURCE',
      message: expect.stringMatching(/cannot be read: EACCES/) as string,
    });
  },
);

test('a tar that becomes unreadable is a source error, too', async () => {
  const source = await layoutAt(await writeTar(join(folder, 'x.tar'), files));
  locked.part = 'x.tar';
  const fetching = source.fetch({ repository: P, version: 'v1.0.0' }, TARGET);
  await expect(fetching).rejects.toMatchObject({ code: 'BAD_SOURCE' });
});
