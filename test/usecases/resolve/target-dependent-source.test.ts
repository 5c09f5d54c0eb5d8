import { describe, expect, test } from 'vitest';
import type { IndexFile } from '../../../src/model/index-file.js';
import type { PackageSource } from '../../../src/model/package-source.js';
import type { Target, TargetRules } from '../../../src/model/target/target.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { matrix } from '../../../src/usecases/matrix.js';
import { fuzz } from '../../../src/usecases/fuzz/fuzz.js';
import { resolve } from '../../../src/usecases/resolve/resolve.js';
import type { Answer } from '../../../src/usecases/resolve/answer.js';
import { requestFor } from '../../support/requests.js';
import { providers, requiring } from '../../support/universes.js';

const A = 'acme/provider-a';
const B = 'acme/provider-b';

/** A source that has one universe or another, as the rules of the target say. */
function dependingOn(choose: (rules: TargetRules) => IndexFile): PackageSource {
  const at = ({ rules }: Target) => memorySource(choose(rules));
  return {
    tags: (repository, target) => at(target).tags(repository, target),
    fetch: (candidate, target) => at(target).fetch(candidate, target),
    owners: async (demand, target) => at(target).owners!(demand, target),
  };
}

/** Each default registry has other versions of the same names: only Upbound's go together. */
const byRegistry = dependingOn(({ defaultRegistry }) =>
  defaultRegistry === 'xpkg.upbound.io'
    ? providers({ [A]: { 'v1.0.0': requiring({ [B]: '>=v1.0.0' }) }, [B]: { 'v1.1.0': {} } })
    : providers({ [A]: { 'v2.0.0': requiring({ [B]: '>=v2.0.0' }) }, [B]: { 'v1.9.0': {} } }),
);

/** The same tags, of which one has other contents at each default registry. */
const byContents = dependingOn(({ defaultRegistry }) =>
  providers({
    [A]: {
      'v1.0.0': requiring({ [B]: defaultRegistry === 'xpkg.upbound.io' ? '<v2.0.0' : '>=v9.0.0' }),
    },
    [B]: { 'v1.1.0': {} },
  }),
);

const C = 'xpkg.example.org/acme/provider-c';

/** Lists tags as the release would: without `v2` where incomplete tags are not installed. */
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
  ])('a range solves what its releases solve: $why', async ({ source }) => {
    const request = requestFor({ [A]: '*' });
    const one = await resolve(request, { source, crossplane: 'v1.19.3' });
    expect(versionsIn(one)).toEqual({ [A]: 'v1.0.0', [B]: 'v1.1.0' });
    const range = await resolve(request, { source, crossplane: '>=v1.19.0, <v2.0.0' });
    expect(range).toMatchObject({ status: 'solved', target: { version: 'v1.19.3' } });
    expect(versionsIn(range)).toEqual(versionsIn(one));
  });

  test('a range asks with each filter of tags', async () => {
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
      ['v2.3.4', 'v1.5.0'],
    ]);
  });

  test('fuzz varies a root among what each release lists', async () => {
    const { breakages } = await fuzz(requestFor({ [C]: '*' }), {
      source: byTagFilter,
      crossplane: '>=v2.0.0, <v2.1.0',
      seed: 1,
      runs: 30,
    });
    expect(breakages).toEqual([]);
  });
});
