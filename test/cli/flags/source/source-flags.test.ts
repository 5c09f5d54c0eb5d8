import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import yargs from 'yargs';
import { openSources, sourceFlags } from '../../../../src/cli/flags/source/source-flags.js';
import { InputError } from '../../../../src/model/input-error.js';
import { targetFor } from '../../../../src/model/target/target.js';
import { noStats } from '../../../../src/driver/read-stats.js';
import { fakeIo } from '../../../support/fake-io.js';
import { sourceArgs } from '../../../support/source-args.js';

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

test('--from takes one value each time, so that what follows is no source', async () => {
  const parsed = await yargs()
    .options(sourceFlags)
    .parserConfiguration({})
    .parseAsync(['--from', 'dir:x', 'ref', '--from', 'index:y', 'other']);
  expect(parsed).toMatchObject({ from: ['dir:x', 'index:y'], _: ['ref', 'other'] });
});

test('paths are those of the working folder, and the first that knows a package answers', async () => {
  const stats = noStats();
  const source = await openSources(
    sourceArgs(['index:two.json', 'index:one.json']),
    fakeIo({ cwd }),
    stats,
  );
  expect(await source.tags(A, target)).toEqual(['v2.0.0']);
  expect(await source.tags(A, target)).toEqual(['v2.0.0']);
  await source.fetch({ repository: A, version: 'v2.0.0' }, target);
  expect(stats).toMatchObject({ listed: 1, fetched: 1, bytes: 0 });
});

test.each([
  { from: undefined, told: true, why: 'a registry cannot be searched' },
  { from: ['index:one.json', 'registry'], told: true, why: 'nor can one of two' },
  { from: ['index:owner.json', 'registry'], told: false, why: 'a source owns it' },
  { from: ['index:one.json'], told: false, why: 'everything was searched' },
])('who owns a CRD: $why', async ({ from, told }) => {
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
    { from: ['oci:packages'], why: 'a form there is not' },
    { from: ['index:'], why: 'no path' },
    { from: ['registry:ghcr.io'], why: 'a registry is named by the package' },
    { from: [''], why: 'nothing' },
    { from: ['__proto__:x'], why: 'no form, whatever objects inherit' },
    { from: ['index:nowhere.json'], why: 'no such file' },
    { from: ['dir:nowhere'], why: 'no such folder' },
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

  test('the forms there are are listed', async () => {
    const error: unknown = await openSources(sourceArgs(['x']), fakeIo()).catch((e: unknown) => e);
    expect(error).toMatchObject({ hint: expect.stringContaining('index:FILE') });
  });
});
