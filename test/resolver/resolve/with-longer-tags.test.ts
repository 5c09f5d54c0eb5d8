import { expect, test } from 'vitest';
import type { PackageSource } from '../../../src/sources/package-source.js';
import { SourceError, type SourceErrorCode } from '../../../src/base/errors.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { withLongerTags, withoutLongerTags } from '../../../src/resolver/resolve/locked-tags.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { digestOf, locked, lockfileOf } from '../../support/lockfiles.js';
import { requestFor } from '../../support/requests.js';
import { providers } from '../../support/universes.js';

const P = 'x.io/a/p';

function listing(tags: readonly string[] | undefined | SourceErrorCode): PackageSource {
  return {
    tags: async () => {
      if (typeof tags === 'string') throw new SourceError(tags, P, 'no list');
      return tags;
    },
    fetch: async () => undefined,
  };
}

test.each([
  { why: 'none', tags: ['v1.4.1', 'v1.4.0', 'v1.4'], want: [] },
  {
    why: 'the locked tag and one more character, sorted and without duplicates',
    tags: ['v1.4.12', 'v1.4.1-rc.2', 'v1.4.1', 'v1.4.1-rc.1', 'v1.4.10', 'v1.4.1_a', 'v2.0.0'],
    want: ['v1.4.1-', 'v1.4.10', 'v1.4.12', 'v1.4.1_'],
  },
  { why: 'not known: no list', tags: undefined, want: undefined },
  { why: 'not known: not in the cache', tags: 'OFFLINE' as const, want: undefined },
  { why: 'not known: unauthorized', tags: 'UNAUTHORIZED' as const, want: undefined },
])('$why', async ({ tags, want }) => {
  const set = lockfileOf([locked(`${P}:v1.4.1`)]);
  const { packages } = await withLongerTags(set, listing(tags));
  expect(packages[0]!.longerTags).toEqual(want);
});

test('keeps recorded prefixes if the tags are not available', async () => {
  const set = lockfileOf([locked(`${P}:v1.4.1`, { longerTags: ['v1.4.1-'] })]);
  expect(await withLongerTags(set, listing('OFFLINE'))).toEqual(set);
});

test('throws if a source fails', async () => {
  const set = lockfileOf([locked(`${P}:v1.4.1`)]);
  await expect(withLongerTags(set, listing('UNREACHABLE'))).rejects.toThrow(SourceError);
});

test('reads no tags of a package that is locked by digest', async () => {
  const set = lockfileOf([locked(`${P}@${digestOf('p')}`)]);
  expect(await withLongerTags(set, listing('UNREACHABLE'))).toEqual(set);
});

test('removes the recorded prefixes', () => {
  const set = lockfileOf([locked(`${P}:v1.4.1`)]);
  const told = lockfileOf([locked(`${P}:v1.4.1`, { longerTags: [] })]);
  expect(withoutLongerTags(told)).toEqual(set);
});

test('resolve reads tag lists only on request, and counts them', async () => {
  const source = memorySource(providers({ [P]: { 'v1.0.0': {}, 'v1.0.0-rc.1': {} } }));
  const answer = async (longerTags: boolean | undefined) => {
    const solved = await resolve(requestFor({ [P]: 'v1.0.0' }), { source, longerTags });
    if (solved.status !== 'solved') throw new Error(solved.status);
    return [solved.lockfile.packages[0]!.longerTags, solved.stats.listed];
  };
  expect(await answer(undefined)).toEqual([undefined, 0]);
  expect(await answer(true)).toEqual([['v1.0.0-'], 1]);
});
