import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatLockfile } from '../../src/lock/format-lockfile.js';
import type { Lockfile } from '../../src/lock/lockfile.js';
import { parseLockfile } from '../../src/lock/parse-lockfile.js';
import type { IndexFile } from '../../src/model/index-file.js';
import type { Repository } from '../../src/model/package.js';
import type { Request } from '../../src/model/request.js';
import { resolve, type ResolveOptions } from '../../src/resolve/resolve.js';
import { verify } from '../../src/resolve/verify.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { scenario } from '../../src/testing/scenario.js';
import { digestOf } from '../support/lockfiles.js';
import { requestFor } from '../support/requests.js';

const [A, B] = ['h.io/acme/a', 'h.io/acme/b'];
const CROSSPLANE = 'v2.3.4';

/** What `resolve` would have written, read again. */
async function lockedFor(
  request: Request,
  universe: IndexFile,
  options: Partial<ResolveOptions> = {},
): Promise<Lockfile | undefined> {
  const source = memorySource(universe);
  const answer = await resolve(request, { source, crossplane: CROSSPLANE, ...options }).catch(
    () => undefined,
  );
  if (answer?.status !== 'solved') return undefined;
  return parseLockfile(formatLockfile(answer.lockfile), 'xpkg.lock.yaml');
}

describe('laws', () => {
  test('what resolve answers, verify agrees with: with what was asked, and without', async () => {
    let verified = 0;
    await fc.assert(
      fc.asyncProperty(scenario(), async ({ universe, request, options }) => {
        const wishes = {
          prereleases: (options.prereleases ?? []) as Repository[],
          allowCycles: options.allowCycles,
        };
        const lockfile = await lockedFor(request, universe, wishes);
        if (lockfile === undefined) return;
        const source = memorySource(universe);
        const asked = await verify(lockfile, request, {
          source,
          ...wishes,
          crossplane: CROSSPLANE,
        });
        expect(asked.mismatches).toEqual([]);
        const alone = await verify(lockfile, undefined, { source, ...wishes });
        expect(alone.mismatches).toEqual([]);
        verified++;
      }),
      { seed: 11, numRuns: 150 },
    );
    expect(verified).toBeGreaterThan(50);
  });
});

const universe: IndexFile = {
  packages: {
    [A]: {
      kind: 'Configuration',
      versions: {
        'v1.0.0': {
          digest: digestOf('a'),
          crossplane: '>=v1.14.0',
          dependsOn: [
            { provider: B, version: '>=v1.0.0-0' },
            { function: 'h.io/acme/f', version: '*' },
          ],
        },
      },
    },
    [B]: {
      kind: 'Provider',
      versions: { 'v1.0.0-rc.1': { digest: digestOf('b'), crds: ['bs.acme.io'] } },
    },
    'h.io/acme/f': { kind: 'Function', versions: { 'v1.0.0': { digest: digestOf('f') } } },
  },
};

const locked = async (request: Request, options?: Partial<ResolveOptions>) =>
  (await lockedFor(request, universe, options))!;

test('a prerelease that was admitted is no mismatch where nobody says what was asked', async () => {
  const lockfile = await locked(requestFor({ [A]: 'v1.0.0' }));
  const { mismatches } = await verify(lockfile, undefined, { source: memorySource(universe) });
  expect(mismatches).toEqual([]);
});

test('constraints broken on purpose are not held against a lockfile alone, and that is said', async () => {
  const overrides = [
    { repository: B as Repository, version: 'v1.0.0-rc.1', origin: { file: 'xpkg.yaml' } },
  ];
  const tight = structuredClone(universe);
  const { versions } = tight.packages[A]!;
  const broken: IndexFile = {
    packages: {
      ...tight.packages,
      [A]: {
        kind: 'Configuration',
        versions: {
          'v1.0.0': { ...versions['v1.0.0'], dependsOn: [{ provider: B, version: '>=v2.0.0' }] },
        },
      },
    },
  };
  const request = requestFor({ [A]: 'v1.0.0' }, { overrides });
  const lockfile = (await lockedFor(request, broken))!;
  expect(lockfile.skipDependencyResolution).toHaveLength(1);
  const source = memorySource(broken);
  expect(await verify(lockfile, request, { source })).toMatchObject({ mismatches: [] });
  const alone = await verify(lockfile, undefined, { source });
  expect(alone.mismatches).toEqual([]);
  expect(alone.notes).toEqual([expect.stringContaining('on purpose')]);
});

test('a package that need not suit the release is not held to it where nobody says what was asked', async () => {
  const picky: IndexFile = {
    packages: {
      [B]: {
        kind: 'Provider',
        versions: { 'v1.0.0': { digest: digestOf('b'), crossplane: '<v1.0.0' } },
      },
    },
  };
  const asked = requestFor({ [B]: 'v1.0.0' });
  const request: Request = {
    ...asked,
    roots: asked.roots.map((root) => ({
      ...root,
      ignoreCrossplaneConstraints: true,
      spec: { ignoreCrossplaneConstraints: true },
    })),
  };
  const lockfile = (await lockedFor(request, picky))!;
  const source = memorySource(picky);
  expect((await verify(lockfile, undefined, { source })).mismatches).toEqual([]);
  const plain = {
    ...lockfile.packages[0]!,
    object: { apiVersion: undefined, metadata: {}, spec: {} },
  };
  const held = await verify({ ...lockfile, packages: [plain] }, undefined, { source });
  expect(held.mismatches).toEqual([expect.objectContaining({ kind: 'constraint' })]);
});

test('the order of dependsOn decides between versions, so it is compared', async () => {
  const lockfile = await locked(requestFor({ [A]: 'v1.0.0' }));
  const packages = lockfile.packages.map((one) => ({
    ...one,
    requirements: [...one.requirements].reverse(),
  }));
  const { mismatches } = await verify({ ...lockfile, packages }, undefined, {
    source: memorySource(universe),
  });
  expect(mismatches).toEqual([
    {
      kind: 'content',
      repository: A,
      version: 'v1.0.0',
      text: expect.stringContaining('dependsOn'),
      locked: 'Function h.io/acme/f `*`, Provider h.io/acme/b `>=v1.0.0-0`',
      found: 'Provider h.io/acme/b `>=v1.0.0-0`, Function h.io/acme/f `*`',
    },
  ]);
});

test('of long lists only what differs is told, and no more than a few', async () => {
  const lockfile = await locked(requestFor({ [A]: 'v1.0.0' }));
  const more = Array.from(
    { length: 9 },
    (_, i) => ({ kind: 'CRD', name: `c${i}.acme.io` }) as const,
  );
  const packages = lockfile.packages.map((one) =>
    one.repository === B ? { ...one, owns: [...one.owns, ...more] } : one,
  );
  const { mismatches } = await verify({ ...lockfile, packages }, undefined, {
    source: memorySource(universe),
  });
  expect(mismatches).toMatchObject([
    {
      locked:
        'CRD c0.acme.io, CRD c1.acme.io, CRD c2.acme.io, CRD c3.acme.io, CRD c4.acme.io and 4 more',
      found: 'nothing',
    },
  ]);
});

test('a package that the release refuses was not locked for it', async () => {
  const lockfile = await locked(requestFor({ [A]: 'v1.0.0' }));
  const refused: IndexFile = {
    packages: {
      ...universe.packages,
      [B]: {
        kind: 'Provider',
        versions: {
          'v1.0.0-rc.1': { digest: digestOf('b'), crossplane: 'not a range', crds: ['bs.acme.io'] },
        },
      },
    },
  };
  const { mismatches } = await verify(lockfile, undefined, { source: memorySource(refused) });
  expect(mismatches).toEqual([
    expect.objectContaining({
      kind: 'content',
      repository: B,
      text: expect.stringContaining('refuses'),
    }),
    expect.objectContaining({ kind: 'constraint' }),
  ]);
});
