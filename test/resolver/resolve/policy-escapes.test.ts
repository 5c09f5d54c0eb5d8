import { expect, test } from 'vitest';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import type { PackageSource } from '../../../src/sources/package-source.js';
import type { Policy } from '../../../src/project/inputs/policy.js';
import type { CandidateRule } from '../../../src/resolver/solver/problem.js';
import type { Request } from '../../../src/project/inputs/request.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { exhaustive } from '../../../src/testing/oracles/exhaustive.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { digestOf } from '../../support/lockfiles.js';
import { requestFor } from '../../support/requests.js';

/**
 * The search can choose the Crossplane release, the version of a package and thus its dependencies,
 * and the owner of a CRD. No choice may weaken a policy.
 */
const [A, B, MIRRORED] = ['h.io/acme/a', 'h.io/acme/b', 'docker.io/acme/b'];
const CRD = 'things.acme.io';
const at = (line: number) => ({ file: 'xpkg.yaml', line });
const RANGE = '>=v1.14.0';

function universeOf(dependsOn: { readonly provider: string; readonly version: string }): IndexFile {
  const provider = {
    'v1.1.3': { digest: digestOf('b') },
    'v1.2.0-rc.1': { digest: digestOf('c') },
  };
  return {
    packages: {
      [A]: {
        kind: 'Configuration',
        versions: { 'v1.0.0': { digest: digestOf('a'), dependsOn: [dependsOn] } },
      },
      [B]: {
        kind: 'Provider',
        versions: { ...provider, 'v1.1.3': { digest: digestOf('b'), crds: [CRD] } },
      },
      'index.docker.io/acme/b': { kind: 'Provider', versions: provider },
    },
  };
}

function denying(packages: string, version?: string): Policy {
  return { deny: [{ packages, version, origin: at(9) }] };
}

const ON_B = { provider: B, version: '>=v1.0.0' };

test.each([
  {
    escape: 'a release that reads the range in another dialect',
    dependsOn: ON_B,
    policy: denying(B, '<=v1.1'),
  },
  {
    escape: 'a prerelease between the bounds of the range',
    dependsOn: { provider: B, version: '>=v1.1.4-0' },
    policy: denying(B, '<v1.2.0'),
  },
  {
    escape: 'a dependency by digest',
    dependsOn: { provider: B, version: digestOf('b') },
    policy: denying(B, '<v1.2.0'),
  },
  {
    escape: 'another spelling of the repository',
    dependsOn: { provider: 'index.docker.io/acme/b', version: '>=v1.0.0' },
    policy: denying(MIRRORED),
  },
  {
    escape: 'another spelling of an allowed registry',
    dependsOn: { provider: 'index.docker.io/acme/b', version: '>=v1.0.0' },
    policy: { deny: [], registries: { allowed: ['h.io'], origin: at(9) } },
  },
  {
    escape: 'a version without a date',
    dependsOn: ON_B,
    policy: {
      deny: [],
      minimumAge: {
        text: '7d',
        milliseconds: 7 * 86_400_000,
        except: [],
        unknown: 'refuse',
        origin: at(9),
      },
    },
  },
] satisfies { escape: string; dependsOn: typeof ON_B; policy: Policy }[])(
  'a policy is not escaped by $escape',
  async ({ dependsOn, policy }) => {
    const universe = universeOf(dependsOn);
    const status = async (policies: readonly Policy[]) =>
      (
        await resolve(requestFor({ [A]: '*' }, { policies }), {
          source: memorySource(universe),
          crossplane: RANGE,
        })
      ).status;
    expect(await status([])).toBe('solved');
    expect(await status([policy])).toBe('unsolvable');
    const oracle = exhaustive(universe, requestFor({ [A]: '*' }, { policies: [policy] }), {
      crossplane: RANGE,
    });
    expect(oracle.status).toBe('unsolvable');
  },
);

test.each([
  { how: 'a denied owner', policies: [denying(B)] },
  { how: 'a denied version of the owner', policies: [denying(B, 'v1.1.3')] },
])('a required CRD does not bring in $how', async ({ policies }) => {
  const crd = { root: 'crd', demand: { crd: CRD }, origin: at(3) } as const;
  const request = (more: readonly Policy[]): Request => ({
    ...requestFor({}, { policies: more }),
    roots: [crd],
  });
  const options = { source: memorySource(universeOf(ON_B)), crossplane: RANGE };
  expect((await resolve(request([]), options)).status).toBe('solved');
  expect((await resolve(request(policies), options)).status).toBe('unsolvable');
});

test('policies apply to a replacement', async () => {
  const universe = universeOf({ provider: 'h.io/acme/old', version: '>=v1.0.0' });
  const replace = [{ repository: 'h.io/acme/old', with: B, origin: at(5) }];
  const status = async (policies: readonly Policy[]) => {
    const request = requestFor({ [A]: '*' }, { policies, replace });
    return (await resolve(request, { source: memorySource(universe), crossplane: RANGE })).status;
  };
  expect(await status([])).toBe('solved');
  expect(await status([denying(B)])).toBe('unsolvable');
});

test('a minimum age applies to a source without dates', async () => {
  const dated = memorySource(universeOf(ON_B));
  const source: PackageSource = {
    tags: (repository, target) => dated.tags(repository, target),
    fetch: (candidate, target) => dated.fetch(candidate, target),
  };
  const week = { text: '7d', milliseconds: 7 * 86_400_000, except: [], origin: at(9) };
  const policies: Policy[] = [{ deny: [], minimumAge: { ...week, unknown: 'refuse' } }];
  const request = requestFor({ [A]: '*' }, { policies });
  const answer = await resolve(request, { source, crossplane: RANGE });
  expect(answer.status).toBe('unsolvable');
});

test('excludes releases that cannot enforce a rule, with a note', async () => {
  const rule: CandidateRule = {
    enforcedBy: {
      constraint: '>=v2.0.0-0',
      by: 'the signature policy of ImageConfig `signed`',
      origin: at(7),
    },
    judge: async ({ repository }) =>
      repository === B
        ? { by: 'signature', policy: 'signed', because: 'there is none', origin: at(7) }
        : undefined,
  };
  const options = { source: memorySource(universeOf(ON_B)), rules: [rule] };
  const wide = await resolve(requestFor({ [A]: '*' }), { ...options, crossplane: RANGE });
  expect(wide.status).toBe('unsolvable');
  const old = await resolve(requestFor({ [A]: '*' }), { ...options, crossplane: 'v1.20.0' });
  expect(old).toMatchObject({
    status: 'unsolvable',
    explanation: expect.stringContaining(
      'the signature policy of ImageConfig `signed` (xpkg.yaml:7) needs Crossplane `>=v2.0.0-0`',
    ),
  });
});
