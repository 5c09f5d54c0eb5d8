import { expect, test } from 'vitest';
import { InputError } from '../../../src/base/errors.js';
import { knownReleases } from '../../../src/crossplane/releases/target.js';
import { matrix, type MatrixRow } from '../../../src/features/matrix/matrix.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { requestFor } from '../../support/requests.js';
import { providers, requiring } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';

const universe = providers({
  [A]: {
    'v1.0.0': { crossplane: '>=v1.16.0, <v2.0.0' },
    'v2.0.0': { crossplane: '>=v2.1.3', ...requiring({ [B]: '*' }) },
  },
  [B]: { 'v1.0.0': { crossplane: '<v2.3.0' } },
});

function outline(rows: readonly MatrixRow[]): string[] {
  return rows.map(({ releases, status }) => `${releases[0]} ${releases.at(-1)} ${status}`);
}

test('consecutive releases with equal results are one row, across rules and minors', async () => {
  const { rows } = await matrix(requestFor({ [A]: '*' }), { source: memorySource(universe) });
  expect(outline(rows)).toEqual([
    'v1.14.0 v1.15.6 unsolvable',
    'v1.16.0 v1.20.13 solved',
    'v2.0.0 v2.1.2 unsolvable',
    'v2.1.3 v2.2.4 solved',
    'v2.3.0 v2.4.2 unsolvable',
  ]);
});

test('checks the releases of the request, each once, unless the options select others', async () => {
  const meant = { texts: ['v2.2.0', '~v1.15.5', 'v1.15.6'], origin: { file: 'xpkg.yaml' } };
  const request = { ...requestFor({ [A]: '*' }), crossplanes: meant };
  const source = memorySource(universe);
  const { rows } = await matrix(request, { source });
  expect(rows.flatMap(({ releases }) => releases)).toEqual(['v1.15.5', 'v1.15.6', 'v2.2.0']);
  const flagged = await matrix(request, { source, crossplane: 'v2.1.3' });
  expect(flagged.rows.flatMap(({ releases }) => releases)).toEqual(['v2.1.3']);
});

test('the reason is the conflict, not a requirement of the user', async () => {
  const { rows } = await matrix(requestFor({ [A]: '>=v2.0.0' }), {
    source: memorySource(universe),
    crossplane: '>=v2.3.0',
  });
  expect(rows).toMatchObject([
    { status: 'unsolvable', reason: expect.stringContaining('<v2.3.0') as string },
  ]);
});

test('every release has the result of `resolve`, although few are solved', async () => {
  const request = requestFor({ [A]: '*' });
  const source = memorySource(universe);
  const { rows } = await matrix(request, { source });
  for (const release of knownReleases()) {
    const row = rows.find(({ releases }) => releases.includes(release))!;
    const answer = await resolve(request, { source, crossplane: release });
    expect(row.status).toBe(answer.status);
    if (row.status !== 'solved' || answer.status !== 'solved') continue;
    const versions = answer.lockfile.packages.map((each) => `${each.repository} ${each.version}`);
    expect(row.packages.map((each) => `${each.repository} ${each.version}`)).toEqual(versions);
  }
});

test('packages are fetched once for all releases', async () => {
  const source = memorySource(universe);
  let fetched = 0;
  const counting = {
    ...source,
    fetch: (...args: Parameters<typeof source.fetch>) => {
      fetched++;
      return source.fetch(...args);
    },
  };
  const { stats } = await matrix(requestFor({ [A]: '*' }), { source: counting });
  expect(fetched).toBe(3);
  expect(stats).toEqual({ listed: 2, fetched: 3 });
});

test('releases for which the request is invalid are blocked', async () => {
  const short = 'acme/a';
  const source = memorySource(providers({ [short]: { 'v1.0.0': {} } }));
  const { rows } = await matrix(requestFor({ [short]: '*' }), { source });
  expect(rows[0]).toMatchObject({ status: 'solved' });
  expect(rows.at(-1)).toMatchObject({ status: 'unsolvable', core: [] });
});

test('a request that is invalid for all releases is an input error', async () => {
  const source = memorySource(universe);
  await expect(matrix(requestFor({ [A]: '!!' }), { source })).rejects.toBeInstanceOf(InputError);
});
