import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { IndexFile, IndexVersion } from '../../../src/sources/index/index-file.js';
import { isDigest } from '../../../src/base/digest.js';
import { parseReference } from '../../../src/crossplane/packages/reference.js';
import { parseVersion } from '../../../src/crossplane/constraints/version.js';
import { exhaustive } from '../../../src/testing/oracles/exhaustive.js';
import { DEFAULT_KNOBS, type Knobs } from '../../../src/testing/generators/knobs.js';
import { packageSet } from '../../../src/testing/generators/package-set.js';
import { scenario, type Scenario } from '../../../src/testing/generators/scenario.js';
import { universe } from '../../../src/testing/generators/universe.js';

const SEED = 20;

function sample<T>(arbitrary: fc.Arbitrary<T>, numRuns = 400): T[] {
  return fc.sample(arbitrary, { numRuns, seed: SEED });
}

const solve = ({ universe: u, request, options }: Scenario) => exhaustive(u, request, options);
const isSolvable = (s: Scenario) => solve(s).status === 'solved';
const shareOf = (solved: readonly boolean[]) => solved.filter(Boolean).length / solved.length;

function versionsIn(u: IndexFile): { repository: string; tag: string; version: IndexVersion }[] {
  return Object.entries(u.packages).flatMap(([repository, { versions }]) =>
    Object.entries(versions).map(([tag, version]) => ({ repository, tag, version })),
  );
}

/** Returns generated `dependsOn` entries with version and kind, from both formats. */
function entriesOf({ dependsOn = [] }: IndexVersion) {
  return (dependsOn as readonly Record<string, string>[]).map(
    ({ version, apiVersion, kind, ...named }) => {
      const [key, repository] = Object.entries(named)[0]!;
      const requiredKind = apiVersion === undefined ? key : kind!.toLowerCase();
      return { constraint: version!, repository, kind: requiredKind };
    },
  );
}

function requiredBy(version: IndexVersion): string[] {
  return entriesOf(version).map(({ repository }) => repository);
}

describe('the generator', () => {
  test('draws solvable and unsolvable scenarios, both often enough', () => {
    const share = shareOf(sample(scenario()).map(isSolvable));
    expect(share).toBeGreaterThan(0.35);
    expect(share).toBeLessThan(0.75);
  });

  test('draws scenarios with many packages, and with older versions in the answer', () => {
    const answers = sample(scenario({ locked: 0 })).map((s) => ({ s, outcome: solve(s) }));
    const solved = answers.flatMap(({ s, outcome }) =>
      outcome.status === 'solved' ? [{ s, selected: outcome.selected }] : [],
    );
    const large = solved.filter(({ selected }) => selected.size >= 4);
    const heldBack = solved.filter(({ s, selected }) =>
      [...selected].some(([repository, version]) => {
        const tags = Object.keys(s.universe.packages[repository]!.versions);
        return tags.indexOf(version) < tags.length - 1;
      }),
    );
    expect(large.length / solved.length).toBeGreaterThan(0.1);
    expect(heldBack.length / solved.length).toBeGreaterThan(0.2);
  });

  test('draws universe and request separately, with common packages', () => {
    const pairs = sample(fc.tuple(universe(), packageSet({ policies: 0 })));
    const share = shareOf(
      pairs.map(([u, request]) => isSolvable({ universe: u, request, options: {} })),
    );
    expect(share).toBeGreaterThan(0.2);
  });

  test('reaches the maximum depth, but no more', () => {
    const depths = sample(universe({ depth: 3, cycles: 0, families: 0, missing: 0 })).map(depthOf);
    expect(Math.max(...depths)).toBe(3);
  });

  test('gives a version the same digest in every universe', () => {
    const digests = new Map<string, string | undefined>();
    for (const { repository, tag, version } of sample(universe()).flatMap(versionsIn)) {
      const name = `${repository}:${tag}`;
      expect(digests.get(name) ?? version.digest).toBe(version.digest);
      digests.set(name, version.digest);
    }
    expect(new Set(digests.values()).size).toBe(digests.size);
  });

  test('respects its parameters', () => {
    for (const u of sample(universe({ packages: 3, versions: 2, families: 0, aliases: 0 }), 100)) {
      expect(Object.keys(u.packages).length).toBeLessThanOrEqual(4);
      for (const { versions } of Object.values(u.packages))
        expect(Object.keys(versions).length).toBeLessThanOrEqual(3);
    }
  });

  test('writes values like registries and clusters', () => {
    for (const { repository, tag, version } of sample(universe()).flatMap(versionsIn)) {
      expect(parseReference(`${repository}:${tag}`, { strict: true })).toBeDefined();
      expect(isDigest(version.digest ?? '')).toBe(true);
      for (const crd of version.crds ?? []) expect(crd).toMatch(/^[a-z]+(\.[a-z0-9]+){2,}$/);
    }
    const tags = sample(universe({ oddTags: 0 })).flatMap(versionsIn);
    expect(tags.every(({ tag }) => parseVersion(tag, '3.4.0') !== undefined)).toBe(true);
  });
});

function depthOf(u: IndexFile): number {
  const below = new Map(
    Object.entries(u.packages).map(([repository, { versions }]) => [
      repository,
      Object.values(versions).flatMap(requiredBy),
    ]),
  );
  const depth = (repository: string): number =>
    Math.max(0, ...(below.get(repository) ?? []).map((next) => 1 + depth(next)));
  return Math.max(...[...below.keys()].map(depth));
}

function namesWrongKind(version: IndexVersion, { packages }: IndexFile): boolean {
  return entriesOf(version).some(
    ({ repository, kind }) =>
      packages[repository] && packages[repository].kind.toLowerCase() !== kind,
  );
}

/** Returns whether an exact version or the lower bound of a range is not published. */
function namesPhantom(version: IndexVersion, { packages }: IndexFile): boolean {
  return entriesOf(version).some(({ repository, constraint }) => {
    const named = /^(?:>=)?(v\d+\.\d+\.\d+)$/.exec(constraint)?.[1];
    const published = Object.keys(packages[repository]?.versions ?? {});
    return named !== undefined && published.length > 0 && !published.includes(named);
  });
}

function sharesCrd(u: IndexFile): boolean {
  const owners = new Map<string, string>();
  return versionsIn(u).some(({ repository, version: { crds = [], xrds = [] } }) =>
    [...crds, ...xrds.flatMap(({ name, claim = name }) => [name, claim])].some((api) => {
      const owner = owners.get(api) ?? repository;
      owners.set(api, owner);
      return owner !== repository;
    }),
  );
}

function pathsIn(u: IndexFile): string[] {
  return Object.keys(u.packages).map((repository) => repository.slice(repository.indexOf('/')));
}

function hostsOfAlias(u: IndexFile): string {
  const paths = pathsIn(u);
  const hosts = Object.keys(u.packages).filter(
    (_, n) => paths.indexOf(paths[n]!) !== paths.lastIndexOf(paths[n]!),
  );
  return hosts
    .map((repository) => repository.split('/')[0]!)
    .sort()
    .join(' ');
}

function hasCycle(u: IndexFile): boolean {
  const repositories = Object.keys(u.packages);
  return repositories.some((repository) => {
    const seen = new Set(Object.values(u.packages[repository]!.versions).flatMap(requiredBy));
    for (const next of seen)
      for (const version of Object.values(u.packages[next]?.versions ?? {}))
        for (const required of requiredBy(version)) seen.add(required);
    return seen.has(repository);
  });
}

/** Parameters without any faults. */
const PEACE = Object.fromEntries(
  Object.entries(DEFAULT_KNOBS).map(([knob, value]) => [knob, value < 1 ? 0 : value]),
) as Partial<Knobs>;

function anyVersion(holds: (tag: string, version: IndexVersion, u: IndexFile) => boolean) {
  return (s: Scenario) =>
    versionsIn(s.universe).some(({ tag, version }) => holds(tag, version, s.universe));
}

describe('each parameter has an effect', () => {
  const anyConstraint = (holds: (constraint: string) => boolean) =>
    anyVersion((_, version) => entriesOf(version).some(({ constraint }) => holds(constraint)));
  const cases: readonly [keyof Knobs, (s: Scenario) => boolean][] = [
    ['prereleases', anyVersion((tag) => tag.includes('-'))],
    ['digests', anyConstraint(isDigest)],
    ['undigested', anyVersion((_, { digest }) => digest === undefined)],
    ['crossplane', anyVersion((_, { crossplane }) => crossplane !== undefined)],
    ['sharedCrds', (s) => sharesCrd(s.universe)],
    [
      'resourceCompositions',
      anyVersion((_, { compositionSpecs = {} }) =>
        Object.values(compositionSpecs).some(({ pipeline }) => !pipeline),
      ),
    ],
    ['families', (s) => 'xpkg.upbound.io/upbound/provider-aws' in s.universe.packages],
    ['aliases', (s) => new Set(pathsIn(s.universe)).size < pathsIn(s.universe).length],
    ['cycles', (s) => hasCycle(s.universe)],
    ['missing', anyVersion((_, v, u) => requiredBy(v).some((name) => !(name in u.packages)))],
    ['kindMismatches', anyVersion((_, version, u) => namesWrongKind(version, u))],
    ['explicit', anyVersion((_, v) => JSON.stringify(v.dependsOn ?? []).includes('apiVersion'))],
    ['incompleteTags', anyVersion((tag) => tag === 'v1' || tag === '1.2')],
    ['oddTags', anyVersion((tag) => tag === 'latest' || /^\d+\.\d+\.\d+/.test(tag))],
    ['unsatisfiable', anyConstraint((text) => text === '>=v99.0.0')],
    ['phantoms', anyVersion((_, version, u) => namesPhantom(version, u))],
    ['invalid', anyConstraint((text) => text === 'latest')],
    ['dialects', anyConstraint((text) => /^<\d+$|^\d+\.\d+$| <=/.test(text))],
    ['freeCrossplane', ({ request }) => /[>~]/.test(request.crossplane?.text ?? '')],
    ['crdRoots', ({ request }) => request.roots.some(({ root }) => root === 'crd')],
    ['localRoots', ({ request }) => request.roots.some(({ root }) => root === 'local')],
    ['overrides', ({ request }) => request.overrides.length > 0],
    ['replace', ({ request }) => request.replace.length > 0],
    ['exclude', ({ request }) => request.exclude.length > 0],
    ['policies', ({ request }) => request.policies !== undefined],
    ['locked', ({ options }) => options.locked !== undefined],
  ];

  test.each(cases)('%s', (knob, holds) => {
    const off = sample(scenario(PEACE), 100);
    const on = sample(scenario({ ...PEACE, [knob]: 0.5 }), 100);
    expect(off.filter(holds)).toHaveLength(0);
    expect(on.filter(holds).length).toBeGreaterThan(10);
  });

  test('aliases: other registries, and other names of the same one', () => {
    const hosts = sample(scenario({ ...PEACE, aliases: 1 })).map((s) => hostsOfAlias(s.universe));
    for (const pair of [
      'xpkg.crossplane.io xpkg.upbound.io',
      'docker.io index.docker.io',
      'ghcr.io xpkg.upbound.io',
    ])
      expect(hosts.filter((found) => found === pair).length).toBeGreaterThan(5);
  });

  test('every parameter has a test case', () => {
    const sizes = ['packages', 'versions', 'depth', 'roots'];
    expect([...cases.map(([knob]) => knob), ...sizes].sort()).toEqual(
      Object.keys(DEFAULT_KNOBS).sort(),
    );
  });
});

function smallest(fails: (s: Scenario) => boolean, seed = SEED): Scenario {
  const details = fc.check(
    fc.property(scenario({ families: 0, aliases: 0 }), (s) => !fails(s)),
    { seed, numRuns: 2000 },
  );
  return details.counterexample![0];
}

/** Returns the universe without objects. */
function peaceful(s: Scenario): Scenario {
  const packages = Object.entries(s.universe.packages).map(([repository, { kind, versions }]) => [
    repository,
    {
      kind,
      versions: Object.fromEntries(
        Object.entries(versions).map(([tag, version]) => [
          tag,
          { ...version, crds: [], xrds: [], compositions: [] },
        ]),
      ),
    },
  ]);
  return { ...s, universe: { packages: Object.fromEntries(packages) } };
}

describe('a failing scenario shrinks to its cause', () => {
  test('an ownership conflict: ideally two packages with one version each', () => {
    const sizes = [20, 21, 24, 25].map((seed) => {
      const { universe: u, request } = smallest(
        (s) => isSolvable(peaceful(s)) && !isSolvable(s),
        seed,
      );
      expect(Object.keys(u.packages).length).toBeLessThanOrEqual(4);
      expect(request.roots.length).toBeLessThanOrEqual(2);
      return versionsIn(u).length;
    });
    expect(Math.min(...sizes)).toBe(2);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(6);
  });

  test('an older version: at most three packages, and few versions', () => {
    const { universe: u } = smallest((s) => {
      const outcome = solve({ ...s, options: {} });
      return outcome.status === 'solved' && outcome.selected.size >= 3;
    });
    expect(Object.keys(u.packages)).toHaveLength(3);
    expect(versionsIn(u).length).toBeLessThanOrEqual(4);
  });
});
