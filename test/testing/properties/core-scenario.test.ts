import { expect, test } from 'vitest';
import type { IndexFile, IndexVersion } from '../../../src/sources/index/index-file.js';
import { exhaustive } from '../../../src/testing/oracles/exhaustive.js';
import { xpkgResolver } from '../../../src/testing/properties/xpkg-resolver.js';
import { requestFor } from '../../support/requests.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';
const CRD = 'buckets.s3.example.org';

function universe(packages: Readonly<Record<string, IndexVersion>>): IndexFile {
  const entries = Object.entries(packages).map(
    ([repository, version]) =>
      [repository, { kind: 'Provider', versions: { 'v1.0.0': version } }] as const,
  );
  return { packages: Object.fromEntries(entries) };
}

const needsB = (version: string, kind = 'provider') => ({ dependsOn: [{ [kind]: B, version }] });

test.each([
  {
    why: 'a version that is not published',
    packages: { [A]: needsB('v1.0.0'), [B]: {} },
    roots: { [A]: '*', [B]: 'v1.0.1' },
    facts: 1,
  },
  {
    why: 'a demand that is known to be in vain',
    packages: { [A]: needsB('v1.0.1'), [B]: {} },
    roots: { [A]: '*', [B]: '*' },
    facts: 2,
  },
  {
    why: 'an object that two would own',
    packages: { [A]: { crds: [CRD] }, [B]: { crds: [CRD] } },
    roots: { [A]: '*', [B]: '*' },
    facts: 3,
  },
  {
    why: 'a kind that is wrong',
    packages: { [A]: needsB('*', 'function'), [B]: {} },
    roots: { [A]: '*' },
    facts: 3,
  },
  {
    why: 'a cycle',
    packages: { [A]: needsB('*'), [B]: { dependsOn: [{ provider: A, version: '*' }] } },
    roots: { [A]: '*' },
    facts: 3,
  },
  {
    why: 'another Crossplane',
    packages: { [A]: { crossplane: '<v2.0.0' } },
    roots: { [A]: '*' },
    facts: 2,
  },
])('$why: the core has exactly the needed facts', async ({ packages, roots, facts }) => {
  const request = requestFor(roots);
  const outcome = await xpkgResolver(universe(packages), request, { crossplane: 'v2.3.4' });
  const core = outcome.status === 'unsolvable' ? outcome.core : undefined;
  expect(exhaustive(core!.universe, core!.request, core!.options).status).toBe('unsolvable');
  const smaller = core!.smaller!.map((one) => exhaustive(one.universe, one.request, one.options));
  expect(smaller.map(({ status }) => status)).toEqual(Array(facts).fill('solved'));
});
