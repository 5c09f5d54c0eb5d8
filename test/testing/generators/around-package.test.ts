import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { InputError } from '../../../src/base/errors.js';
import type { IndexFile, IndexVersion } from '../../../src/sources/index/index-file.js';
import type { PackageSource } from '../../../src/sources/package-source.js';
import { openDir } from '../../../src/sources/dir-source.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { aroundPackage, type Neighbourhood } from '../../../src/testing/generators/neighborhood.js';
import { xpkgResolver } from '../../../src/testing/properties/xpkg-resolver.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';
const C = 'xpkg.example.org/acme/c';
const D = 'xpkg.example.org/acme/d';

type Versions = Readonly<Record<string, IndexVersion>>;

function sourceOf(packages: Readonly<Record<string, Versions>>): PackageSource {
  const entries = Object.entries(packages).map(
    ([repository, versions]) => [repository, { kind: 'Provider', versions }] as const,
  );
  return memorySource({ packages: Object.fromEntries(entries) });
}

function needs(requirements: Readonly<Record<string, string>>): IndexVersion {
  return {
    dependsOn: Object.entries(requirements).map(([provider, version]) => ({ provider, version })),
  };
}

/** Returns all versions that were read, each as `name version`. */
function read({ packages }: IndexFile): string[] {
  return Object.entries(packages).flatMap(([repository, { versions }]) =>
    Object.keys(versions).map((tag) => `${repository.split('/').at(-1)} ${tag}`),
  );
}

const SOURCE = sourceOf({
  [A]: { 'v1.0.0': needs({ [B]: '^v1.0.0' }), 'v2.0.0': needs({ [B]: '>=v1.1.0' }) },
  [B]: {
    'v1.0.0': needs({ [C]: '*' }),
    'v1.1.0': needs({ [C]: '*' }),
    'v1.2.0': needs({ [C]: '<v2.0.0' }),
    'v2.0.0': needs({ [C]: '>=v2.0.0' }),
  },
  [C]: { 'v1.0.0': {}, 'v2.0.0': {}, 'v2.1.0-rc.1': {} },
  [D]: { 'v1.0.0': needs({ [C]: '<v2.0.0' }) },
});

describe('what is read', () => {
  test.each([
    {
      why: 'only what could be needed',
      ref: `${A}@v1.0.0`,
      options: {},
      want: ['a v1.0.0', 'b v1.0.0', 'b v1.1.0', 'b v1.2.0', 'c v1.0.0', 'c v2.0.0'],
    },
    {
      why: 'the newest of each demand',
      ref: `${A}@v1.0.0`,
      options: { versions: 1 },
      want: ['a v1.0.0', 'b v1.2.0', 'c v1.0.0'],
    },
    {
      why: 'what other roots could need too',
      ref: `${C}@>=v2.0.0`,
      options: { beside: [D] },
      want: ['c v1.0.0', 'c v2.0.0', 'd v1.0.0'],
    },
    {
      why: 'prereleases where admitted',
      ref: `${C}@>=v2.0.0`,
      options: { prereleases: [C] },
      want: ['c v2.0.0', 'c v2.1.0-rc.1'],
    },
    {
      why: 'nothing of what is not there',
      ref: 'xpkg.example.org/acme/none',
      options: {},
      want: [],
    },
  ])('$why', async ({ ref, options, want }) => {
    expect(read((await aroundPackage(ref, SOURCE, options)).universe)).toEqual(want);
  });

  test('exceeding the limit is an error with advice', async () => {
    await expect(aroundPackage(A, SOURCE, { limit: 3 })).rejects.toThrow(InputError);
  });

  test('each version is read once, and none while drawing scenarios', async () => {
    const asked: string[] = [];
    const watched: PackageSource = {
      tags: (...given) => SOURCE.tags(...given),
      fetch: (candidate, target) => {
        asked.push(`${candidate.repository} ${candidate.version}`);
        return SOURCE.fetch(candidate, target);
      },
    };
    const { scenarios } = await aroundPackage(A, watched);
    expect(asked.length).toBe(new Set(asked).size);
    const before = asked.length;
    fc.sample(scenarios, 20);
    expect(asked).toHaveLength(before);
  });
});

function drawn({ scenarios }: Neighbourhood, count = 200) {
  return fc.sample(scenarios, { numRuns: count, seed: 4 });
}

function publishedOf(universe: IndexFile, repository: string): string {
  return Object.keys(universe.packages[repository]!.versions).join(' ');
}

describe('what varies', () => {
  test('publishing stops at a version that the package allows', async () => {
    const around = await aroundPackage(`${A}@v2.0.0`, SOURCE);
    expect([...around.varied]).toEqual([[B, ['v2.0.0', 'v1.2.0', 'v1.1.0']]]);
    const histories = drawn(around).map(({ universe }) => publishedOf(universe, B));
    expect(new Set(histories)).toEqual(
      new Set(['v1.1.0 v1.2.0 v2.0.0', 'v1.1.0 v1.2.0', 'v1.1.0']),
    );
  });

  test('any single version is published', async () => {
    const around = await aroundPackage(`${A}@v2.0.0`, SOURCE, { published: 'only' });
    const histories = drawn(around).map(({ universe }) => publishedOf(universe, B));
    expect(new Set(histories)).toEqual(
      new Set(['v1.1.0 v1.2.0 v2.0.0', 'v1.1.0', 'v1.2.0', 'v2.0.0']),
    );
  });

  test('only the named packages vary', async () => {
    const around = await aroundPackage(`${A}@v2.0.0`, SOURCE, { vary: [C] });
    expect([...around.varied.keys()]).toEqual([C]);
  });

  test.each([
    { crossplane: '>=v1.20.12, <v2.0.2', want: ['v2.0.1', 'v2.0.0', 'v1.20.13', 'v1.20.12'] },
    { crossplane: ['v1.20.0', 'v2.3.4'], want: ['v1.20.0', 'v2.3.4'] },
  ])('the release is one of $crossplane', async ({ crossplane, want }) => {
    const around = await aroundPackage(A, SOURCE, { crossplane });
    expect(around.releases).toEqual(want);
    const releases = drawn(around).map(({ options }) => options.crossplane);
    expect(new Set(releases)).toEqual(new Set(want));
  });

  test('an invalid release is an error', async () => {
    await expect(aroundPackage(A, SOURCE, { crossplane: ['v2'] })).rejects.toThrow(InputError);
  });

  test('other roots are optional', async () => {
    const around = await aroundPackage(A, SOURCE, { beside: [D] });
    const sizes = drawn(around).map(({ request }) => request.roots.length);
    expect(new Set(sizes)).toEqual(new Set([1, 2]));
  });
});

test('finds packages that break a package, and shrinks to them', async () => {
  const { scenarios } = await aroundPackage(`${A}@v2.0.0`, SOURCE, {
    published: 'only',
    beside: [D, 'xpkg.example.org/acme/c@*'],
    crossplane: '>=v1.20.0',
  });
  const details = await fc.check(
    fc.asyncProperty(scenarios, async ({ universe, request, options }) => {
      const { status } = await xpkgResolver(universe, request, options);
      return status === 'solved';
    }),
    { seed: 3, numRuns: 300 },
  );
  const [smallest] = details.counterexample!;
  expect(smallest.options.crossplane).toBe('v2.4.2');
  expect(smallest.request.roots).toHaveLength(2);
  expect(publishedOf(smallest.universe, B)).toBe('v2.0.0');
});

describe('around packages on disk', () => {
  const fixtures = join(import.meta.dirname, '../../../fixtures');
  const network = 'xpkg.example.org/acme/configuration-network';
  let source: PackageSource;

  beforeAll(async () => {
    source = await openDir(join(fixtures, 'packages'));
  });

  test('a reference: resolves with any published versions, on every supported release', async () => {
    const { scenarios, varied } = await aroundPackage(`${network}@v1.2.0`, source, {
      crossplane: '>=v1.20.0, <v2.0.0',
    });
    expect(varied.size).toBeGreaterThan(1);
    await fc.assert(
      fc.asyncProperty(scenarios, async ({ universe, request, options }) => {
        const { status } = await xpkgResolver(universe, request, options);
        expect(status).toBe('solved');
      }),
      { seed: 1, numRuns: 40 },
    );
  });

  test('a folder with a package under development', async () => {
    const folder = join(fixtures, 'packages', `${network}@v1.2.0`);
    const { request, universe, varied } = await aroundPackage(folder, source);
    expect(request.roots.map(({ root }) => root)).toEqual(['local']);
    expect(Object.keys(universe.packages)).toEqual(expect.arrayContaining([...varied.keys()]));
    expect(varied.size).toBeGreaterThan(1);
  });
});
