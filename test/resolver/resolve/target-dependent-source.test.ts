import { describe, expect, test } from 'vitest';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import type { PackageSource } from '../../../src/sources/package-source.js';
import type { ReleaseRules, TargetRules } from '../../../src/crossplane/releases/release-facts.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { matrix } from '../../../src/features/matrix/matrix.js';
import { fuzz } from '../../../src/features/fuzz/fuzz.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import type { Answer } from '../../../src/resolver/resolve/answer.js';
import { requestFor } from '../../support/requests.js';
import { providers, requiring } from '../../support/universes.js';

const A = 'acme/provider-a';
const B = 'acme/provider-b';

/** Returns a source whose universe depends on the rules of the target. */
function dependingOn(choose: (rules: TargetRules) => IndexFile): PackageSource {
  const at = ({ rules }: ReleaseRules) => memorySource(choose(rules));
  return {
    tags: (repository, target) => at(target).tags(repository, target),
    fetch: (candidate, target) => at(target).fetch(candidate, target),
    owners: async (demand, target) => at(target).owners!(demand, target),
  };
}

/** Each default registry has other versions. Only those of Upbound can be installed together. */
const byRegistry = dependingOn(({ defaultRegistry }) =>
  defaultRegistry === 'xpkg.upbound.io'
    ? providers({ [A]: { 'v1.0.0': requiring({ [B]: '>=v1.0.0' }) }, [B]: { 'v1.1.0': {} } })
    : providers({ [A]: { 'v2.0.0': requiring({ [B]: '>=v2.0.0' }) }, [B]: { 'v1.9.0': {} } }),
);

/** The same tags at each default registry, but one of them has other contents. */
const byContents = dependingOn(({ defaultRegistry }) =>
  providers({
    [A]: {
      'v1.0.0': requiring({ [B]: defaultRegistry === 'xpkg.upbound.io' ? '<v2.0.0' : '>=v9.0.0' }),
    },
    [B]: { 'v1.1.0': {} },
  }),
);

const C = 'xpkg.example.org/acme/provider-c';

/** Lists tags as the release does: without `v2` if it does not install incomplete tags. */
const byTagFilter = dependingOn(({ skipsIncompleteTags }) =>
  providers({ [C]: { 'v1.0.0': {}, ...(skipsIncompleteTags ? { 'v1.5.0': {} } : { v2: {} }) } }),
);

function versionsIn(answer: Answer): Record<string, string> | string {
  if (answer.status !== 'solved') return answer.status;
  return Object.fromEntries(answer.lockfile.packages.map((p) => [p.repository, p.version]));
}

describe('with a source whose answers depend on the target', () => {
  test.each([
    { source: byRegistry, why: 'other tags' },
    { source: byContents, why: 'other contents under the same tag' },
  ])('a range has a solution if one of its releases has: $why', async ({ source }) => {
    const request = requestFor({ [A]: '*' });
    const one = await resolve(request, { source, crossplane: 'v1.19.3' });
    expect(versionsIn(one)).toEqual({ [A]: 'v1.0.0', [B]: 'v1.1.0' });
    const range = await resolve(request, { source, crossplane: '>=v1.19.0, <v2.0.0' });
    expect(range).toMatchObject({ status: 'solved', target: { version: 'v1.19.3' } });
    expect(versionsIn(range)).toEqual(versionsIn(one));
  });

  test('a range reads the tags under each tag filter', async () => {
    const request = requestFor({ [C]: 'v2' });
    const crossplane = '>=v2.0.0, <v2.1.0';
    const range = await resolve(request, { source: byTagFilter, crossplane });
    expect(range).toMatchObject({ status: 'solved', target: { version: 'v2.0.2' } });
    expect(versionsIn(range)).toEqual({ [C]: 'v2' });
  });

  test('a row of the matrix has the versions of its own releases', async () => {
    const { rows } = await matrix(requestFor({ [A]: '*' }), { source: byRegistry });
    const solved = rows.filter(({ status }) => status === 'solved');
    expect(solved.map(({ releases }) => [releases[0], releases.at(-1)])).toEqual([
      ['v1.15.0', 'v1.19.3'],
    ]);
    const filtered = await matrix(requestFor({ [C]: '*' }), { source: byTagFilter });
    expect(
      filtered.rows.map((row) => [
        row.releases.at(-1),
        row.status === 'solved' && row.packages[0]!.version,
      ]),
    ).toEqual([
      ['v2.0.2', 'v2'],
      ['v2.4.2', 'v1.5.0'],
    ]);
  });

  test('fuzz varies a root among the tags of each release', async () => {
    const { breakages } = await fuzz(requestFor({ [C]: '*' }), {
      source: byTagFilter,
      crossplane: '>=v2.0.0, <v2.1.0',
      seed: 1,
      runs: 30,
    });
    expect(breakages).toEqual([]);
  });
});
