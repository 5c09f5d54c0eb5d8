import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flagValues, readWords } from '../../../src/cli/arguments/parser.js';
import { openSources, sourceFlags } from '../../../src/cli/sources/source-flags.js';
import { InputError } from '../../../src/base/errors.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { fakeIo } from '../../support/fake-io.js';
import { sourceArgs } from '../../support/source-args.js';

const target = targetFor('v2.3.4')!;
const A = 'xpkg.io/a';

const index = (tag: string) =>
  JSON.stringify({ packages: { [A]: { kind: 'Provider', versions: { [tag]: {} } } } });

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'flags-'));
  await writeFile(join(cwd, 'one.json'), index('v1.0.0'));
  await writeFile(join(cwd, 'two.json'), index('v2.0.0'));
});
afterAll(() => rm(cwd, { recursive: true }));

test('--from takes one value, so the next word is not a source', () => {
  const read = readWords(['--from', 'dir:x', 'ref', '--from', 'index:y', 'other'], sourceFlags);
  expect(read.args).toEqual(['ref', 'other']);
  const { values } = flagValues(read.flags, sourceFlags, undefined);
  expect(values['from']).toEqual(['dir:x', 'index:y']);
});

test('paths are relative to the working folder, and the first source that knows a package is used', async () => {
  const source = await openSources(
    sourceArgs(['index:two.json', 'index:one.json']),
    fakeIo({ cwd }),
  );
  expect(await source.tags(A, target)).toEqual(['v2.0.0']);
  expect(await source.tags(A, target)).toEqual(['v2.0.0']);
  await source.fetch({ repository: A, version: 'v2.0.0' }, target);
  expect(source.stats).toMatchObject({ listed: 1, fetched: 1, bytes: 0 });
});

test.each([
  { from: undefined, told: true, why: 'a registry cannot be searched' },
  {
    from: ['index:one.json', 'registry'],
    told: true,
    why: 'one of two sources cannot be searched',
  },
  { from: ['index:owner.json', 'registry'], told: false, why: 'a source has an owner' },
  { from: ['index:one.json'], told: false, why: 'all sources were searched' },
])('the owner of a CRD: $why', async ({ from, told }) => {
  const io = fakeIo({ cwd });
  const owner = { kind: 'Provider', versions: { 'v1.0.0': { crds: ['x.io'] } } };
  await writeFile(join(cwd, 'owner.json'), JSON.stringify({ packages: { [A]: owner } }));
  const source = await openSources(sourceArgs(from), io);
  await source.owners?.({ crd: 'x.io' }, target);
  await source.owners?.({ crd: 'x.io' }, target);
  expect(io.notes()).toEqual(told ? [expect.stringMatching(/x\.io.*registry.*--from index:/)] : []);
});

describe('bad usage:', () => {
  test.each([
    { from: ['packages'], why: 'a path without a form' },
    { from: ['oci:packages'], why: 'an unknown form' },
    { from: ['index:'], why: 'no path' },
    { from: ['registry:ghcr.io'], why: 'a registry takes no value' },
    { from: [''], why: 'empty' },
    { from: ['__proto__:x'], why: 'the name of an object property is not a form' },
    { from: ['index:nowhere.json'], why: 'a missing file' },
    { from: ['dir:nowhere'], why: 'a missing folder' },
  ])('$from: $why', async ({ from }) => {
    await expect(openSources(sourceArgs(from), fakeIo({ cwd }))).rejects.toBeInstanceOf(InputError);
  });

  test.each([0, -1, 1.5, Number.NaN])('--concurrency %d', async (concurrency) => {
    const opening = openSources(
      { ...sourceArgs(['index:one.json']), concurrency },
      fakeIo({ cwd }),
    );
    await expect(opening).rejects.toBeInstanceOf(InputError);
  });

  test('lists the supported forms', async () => {
    const error: unknown = await openSources(sourceArgs(['x']), fakeIo()).catch((e: unknown) => e);
    expect(error).toMatchObject({ hint: expect.stringContaining('index:FILE') });
  });
});
