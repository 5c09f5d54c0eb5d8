import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import type { Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { parseLockfile } from '../../../src/project/lockfile/parse-lockfile.js';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import type { PackageSource } from '../../../src/sources/package-source.js';
import type { Request } from '../../../src/project/inputs/request.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { type ResolveOptions } from '../../../src/resolver/resolve/to-problem.js';
import { verify } from '../../../src/features/verify/verify.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { solvable } from '../../support/universes.js';
import { digestOf } from '../../support/lockfiles.js';
import { requestFor } from '../../support/requests.js';

const [A, B] = ['h.io/acme/a', 'h.io/acme/b'];
const CROSSPLANE = 'v2.3.4';

/** Returns the lockfile that `resolve` writes, parsed again. */
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

describe('properties', () => {
  test('verify accepts the answers of resolve, with and without the request', async () => {
    await fc.assert(
      fc.asyncProperty(
        solvable({}, { crossplane: CROSSPLANE }),
        async ({ universe, request, options }) => {
          const wishes = {
            prereleases: options.prereleases ?? [],
            allowCycles: options.allowCycles,
          };
          const lockfile = await lockedFor(request, universe, wishes);
          fc.pre(lockfile !== undefined);
          const source = memorySource(universe);
          const withRequest = await verify(lockfile, request, {
            source,
            ...wishes,
            crossplane: CROSSPLANE,
          });
          expect(withRequest.mismatches).toEqual([]);
          const alone = await verify(lockfile, undefined, { source, ...wishes });
          expect(alone.mismatches).toEqual([]);
        },
      ),
      { seed: 11, numRuns: 80 },
    );
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

test('without a request, an admitted prerelease is no mismatch', async () => {
  const lockfile = await locked(requestFor({ [A]: 'v1.0.0' }));
  const { mismatches } = await verify(lockfile, undefined, { source: memorySource(universe) });
  expect(mismatches).toEqual([]);
});

test('without a request, intentionally violated constraints are no mismatch, with a note', async () => {
  const overrides = [{ repository: B, version: 'v1.0.0-rc.1', origin: { file: 'xpkg.yaml' } }];
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
  expect(alone.notes).toEqual([
    expect.stringContaining('what was asked for'),
    expect.stringContaining('on purpose'),
  ]);
});

test('without a request, a package with `ignoreCrossplaneConstraints` may exclude the release', async () => {
  const picky: IndexFile = {
    packages: {
      [B]: {
        kind: 'Provider',
        versions: { 'v1.0.0': { digest: digestOf('b'), crossplane: '<v1.0.0' } },
      },
    },
  };
  const base = requestFor({ [B]: 'v1.0.0' });
  const request: Request = {
    ...base,
    roots: base.roots.map((root) => ({
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
  const verification = await verify({ ...lockfile, packages: [plain] }, undefined, { source });
  expect(verification.mismatches).toEqual([expect.objectContaining({ kind: 'constraint' })]);
});

test('the order of dependsOn is compared, because it affects the selection', async () => {
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

test('long lists show only a few differences', async () => {
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

test('a package that the release rejects is a mismatch', async () => {
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

async function bare(): Promise<Lockfile> {
  const lockfile = await locked(requestFor({ [A]: 'v1.0.0' }));
  return {
    ...lockfile,
    packages: lockfile.packages.map((one) => ({ ...one, digest: undefined })),
  };
}

describe('a lockfile with less data than its source', () => {
  const source = memorySource(universe);

  test('must have the digests that the source has', async () => {
    const { mismatches } = await verify(await bare(), undefined, { source });
    expect(mismatches).toHaveLength(3);
    expect(mismatches[0]).toMatchObject({ kind: 'content', repository: A, found: digestOf('a') });
  });

  test('may lack digests if that is allowed, with one note', async () => {
    const { mismatches, notes } = await verify(await bare(), undefined, {
      source,
      allowUndigested: true,
    });
    expect(mismatches).toEqual([]);
    expect(notes.filter((note) => note.includes('does not say its digest'))).toHaveLength(3);
  });

  const made: IndexFile = {
    packages: Object.fromEntries(
      Object.entries(universe.packages).map(([name, { kind, versions }]) => [
        name,
        {
          kind,
          versions: Object.fromEntries(
            Object.entries(versions).map(([tag, entry]) => [
              tag,
              { ...entry, baseLayer: digestOf('layer'), packageYaml: digestOf('yaml') },
            ]),
          ),
        },
      ]),
    ),
  };

  test('must have the image parts that the source has', async () => {
    const lockfile = await locked(requestFor({ [A]: 'v1.0.0' }));
    const { mismatches } = await verify(lockfile, undefined, { source: memorySource(made) });
    expect(mismatches).toHaveLength(6);
    expect(mismatches[0]).toMatchObject({
      kind: 'content',
      repository: A,
      text: expect.stringContaining('`baseLayer`'),
      locked: 'nothing',
      found: digestOf('layer'),
    });
  });

  test('may have more data than its source: an index may lack image parts', async () => {
    const lockfile = (await lockedFor(requestFor({ [A]: 'v1.0.0' }), made))!;
    const { mismatches } = await verify(lockfile, undefined, { source });
    expect(mismatches).toEqual([]);
  });
});

test('a source without tags cannot report a missing tag', async () => {
  const lockfile = await locked(requestFor({ [A]: 'v1.0.0' }));
  const inner = memorySource(universe);
  const byDigest = new Map(lockfile.packages.map((one) => [one.digest as string, one]));
  const source: PackageSource = {
    tags: async () => undefined,
    fetch: async ({ version }, target) => {
      const one = byDigest.get(version);
      return one && inner.fetch(one, target);
    },
  };
  const { mismatches, notes } = await verify(lockfile, undefined, { source });
  expect(mismatches).toEqual([]);
  expect(notes.filter((note) => note.includes('keeps no tags'))).toHaveLength(3);
});

describe('data that only the lockfile has', () => {
  const source = memorySource(universe);
  const request = requestFor({ [A]: 'v1.0.0' });

  test('a name is a mismatch, because a pull request may edit it', async () => {
    const lockfile = await locked(request);
    const packages = lockfile.packages.map((one) =>
      one.repository === A ? { ...one, name: 'my-own' } : one,
    );
    const edited = { ...lockfile, packages };
    const { mismatches } = await verify(edited, request, { source });
    expect(mismatches).toEqual([
      expect.objectContaining({ repository: A, locked: 'my-own', found: 'acme-a' }),
    ]);
    const [root] = request.roots;
    const given = { ...request, roots: [{ ...root!, name: 'my-own' }] } as Request;
    expect((await verify(edited, given, { source })).mismatches).toEqual([]);
  });

  test('the owner of a name that two packages derive is accepted, with a note', async () => {
    const twins: IndexFile = {
      packages: Object.fromEntries(
        ['one.io/acme/p', 'two.io/acme/p'].map((name) => [
          name,
          { kind: 'Provider', versions: { 'v1.0.0': { digest: digestOf(name) } } },
        ]),
      ),
    };
    const names = Object.keys(twins.packages);
    const [first, last] = [names, names.toReversed()].map((order) =>
      requestFor(Object.fromEntries(order.map((name) => [name, 'v1.0.0']))),
    );
    const lockfile = (await lockedFor(first!, twins))!;
    const { mismatches, notes } = await verify(lockfile, last, { source: memorySource(twins) });
    expect(mismatches).toEqual([]);
    expect(notes.filter((note) => note.includes('by the lockfile alone'))).toHaveLength(2);
    const [holder, other] = lockfile.packages;
    const neither = { ...lockfile, packages: [{ ...holder!, name: 'acme-p-0' }, other!] };
    const edited = await verify(neither, first, { source: memorySource(twins) });
    expect(edited.mismatches).toMatchObject([{ locked: 'acme-p-0', found: 'acme-p' }]);
  });

  test('a reason to violate constraints is a mismatch, with and without inputs', async () => {
    const lockfile = { ...(await locked(request)), skipDependencyResolution: ['trust me'] };
    for (const checkedRequest of [request, undefined]) {
      const { mismatches } = await verify(lockfile, checkedRequest, { source });
      expect(mismatches).toEqual([
        expect.objectContaining({ text: expect.stringContaining('skipDependencyResolution') }),
      ]);
    }
  });

  test('a release is accepted if none is requested, with a note', async () => {
    const lockfile = { ...(await locked(request)), crossplane: 'v2.3.3' };
    const { mismatches, notes } = await verify(lockfile, request, { source });
    expect(mismatches).toEqual([]);
    expect(notes.join()).toContain('v2.3.3');
    const verification = await verify(lockfile, undefined, { source, crossplane: CROSSPLANE });
    expect(verification.mismatches).toEqual([
      expect.objectContaining({ kind: 'input', found: CROSSPLANE }),
    ]);
  });
});

test('two owners of one CRD are found without inputs, even with violated constraints', async () => {
  const lockfile = await locked(requestFor({ [A]: 'v1.0.0' }));
  const rivals: IndexFile = {
    packages: {
      ...universe.packages,
      'h.io/acme/f': {
        kind: 'Provider',
        versions: { 'v1.0.0': { digest: digestOf('f'), crds: ['bs.acme.io'] } },
      },
    },
  };
  const packages = lockfile.packages.map((one) =>
    one.repository === 'h.io/acme/f' ? { ...one, kind: 'Provider' as const } : one,
  );
  const reasons = ['the input objects say so'];
  const edited = { ...lockfile, packages, skipDependencyResolution: reasons };
  const { mismatches } = await verify(edited, undefined, { source: memorySource(rivals) });
  expect(mismatches.map(({ kind }) => kind)).toContain('constraint');
});
