import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { IndexFile, IndexVersion } from '../../../src/sources/index/index-file.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { type ResolveOptions } from '../../../src/resolver/resolve/to-problem.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { scenario } from '../../../src/testing/generators/scenario.js';
import { requestFor } from '../../support/requests.js';
import { Rounds } from '../../support/rounds.js';

const CONFIGURATION = 'h.io/acme/configuration-a';
const FAMILY = 'h.io/acme/provider-family-cloud';
const PROVIDERS = ['s3', 'ec2', 'rds', 'iam'].map((name) => `h.io/acme/provider-cloud-${name}`);
const FUNCTION = 'h.io/acme/function-f';

function published(kind: string, newest: IndexVersion, ...tags: readonly string[]) {
  return { kind, versions: Object.fromEntries(tags.map((tag) => [tag, newest])) };
}

function onFamily(version: string): IndexVersion {
  return { dependsOn: [{ provider: FAMILY, version }] };
}

function platform(dependsOn: IndexVersion['dependsOn'], family = '>=v1.0.0'): IndexFile {
  return {
    packages: {
      [CONFIGURATION]: published('Configuration', { dependsOn }, 'v1.0.0', 'v1.1.0'),
      [FUNCTION]: published('Function', {}, 'v1.0.0', 'v1.1.0'),
      [FAMILY]: published('Provider', {}, 'v1.0.0', 'v1.1.0'),
      ...Object.fromEntries(
        PROVIDERS.map((name) => [
          name,
          published('Provider', onFamily(family), 'v1.0.0', 'v1.1.0'),
        ]),
      ),
    },
  };
}

const name = (i: number) => `h.io/acme/provider-cloud-${'abcd'[i]}`;

/** Artificial providers: each version may require any other provider, in a few ranges. */
const providersOfEachOther: fc.Arbitrary<IndexFile> = fc
  .array(
    fc.array(
      fc.option(fc.tuple(fc.nat(3), fc.constantFrom('>=v1.0.0', '<v2.0.0', '<v3.0.0', '>=v2.0.0'))),
      { minLength: 3, maxLength: 3 },
    ),
    { minLength: 4, maxLength: 4 },
  )
  .map((packages) => {
    const versions = (needs: (typeof packages)[number]) =>
      needs.map((need, i): [string, IndexVersion] => [
        `v${i + 1}.0.0`,
        need === null ? {} : { dependsOn: [{ provider: name(need[0]), version: need[1] }] },
      ]);
    const entries = packages.map((needs, i) => [
      name(i),
      { kind: 'Provider', versions: Object.fromEntries(versions(needs)) },
    ]);
    return { packages: Object.fromEntries(entries) as IndexFile['packages'] };
  });

const need = (provider: string, version: string) => ({ provider, version });
const anyOf = (kind: string, name: string) => ({ [kind]: name, version: '>=v1.0.0' });
const ALL = [...PROVIDERS.map((name) => anyOf('provider', name)), anyOf('function', FUNCTION)];

async function roundsFor(universe: IndexFile, roots: Readonly<Record<string, string>>) {
  const rounds = new Rounds(memorySource(universe), { distant: true });
  const answer = await resolve(requestFor(roots), { source: rounds.source, crossplane: 'v2.3.4' });
  expect(answer.status).toBe('solved');
  return rounds.asked;
}

describe('prefetching from a distant source', () => {
  test('packages with the same requirer are requested at once, without unnecessary reads', async () => {
    expect(await roundsFor(platform(ALL), { [CONFIGURATION]: '>=v1.0.0' })).toEqual([
      [`tags ${CONFIGURATION}`],
      [`${CONFIGURATION} v1.1.0`],
      [...PROVIDERS, FUNCTION].map((name) => `tags ${name}`),
      [...PROVIDERS, FUNCTION].map((name) => `${name} v1.1.0`),
      [`tags ${FAMILY}`],
      [`${FAMILY} v1.1.0`],
    ]);
  });

  test('packages with exact tags are read in one round, without tag lists', async () => {
    const roots = Object.fromEntries(PROVIDERS.map((name) => [name, 'v1.1.0']));
    const [first] = await roundsFor(platform([]), roots);
    expect(new Set(first)).toEqual(new Set(PROVIDERS.map((name) => `${name} v1.1.0`)));
  });

  test('a provider family is read after its members, because they may pin it', async () => {
    const universe = platform([...ALL, anyOf('provider', FAMILY)], 'v1.0.0');
    const asked = (await roundsFor(universe, { [CONFIGURATION]: '>=v1.0.0' })).flat();
    expect(asked).not.toContain(`${FAMILY} v1.1.0`);
    expect(asked).toContain(`${FAMILY} v1.0.0`);
  });

  test('a provider without a family may require anything, so nothing after it is prefetched', async () => {
    const [one, other] = ['h.io/acme/provider-sql', 'h.io/acme/provider-kubernetes'];
    const below = { dependsOn: [{ provider: other, version: '<v2.0.0' }] };
    const universe: IndexFile = {
      packages: {
        [one]: published('Provider', below, 'v1.0.0', 'v1.1.0'),
        [other]: published('Provider', {}, 'v1.0.0', 'v2.0.0'),
      },
    };
    const asked = (await roundsFor(universe, { [one]: '>=v1.0.0', [other]: '>=v1.0.0' })).flat();
    expect(asked).not.toContain(`${other} v2.0.0`);
  });

  test('packages after a configuration wait for it, because it may require anything', async () => {
    const universe = platform([{ provider: PROVIDERS[0]!, version: '<v1.1.0' }]);
    const roots = { [CONFIGURATION]: '>=v1.0.0', [PROVIDERS[0]!]: '>=v1.0.0' };
    const asked = (await roundsFor(universe, roots)).flat();
    expect(asked).not.toContain(`${PROVIDERS[0]} v1.1.0`);
  });

  test.each(['v2.0.0', 'v3.0.0'])(
    'a failed prefetch of a version that is not needed is ignored: %s, which a sibling excludes',
    async (newest) => {
      const [one, other] = PROVIDERS as [string, string];
      const below = { dependsOn: [{ provider: other, version: '<v2.0.0' }] };
      const universe: IndexFile = {
        packages: {
          [one]: published('Provider', below, 'v1.0.0', 'v1.1.0'),
          [other]: published('Provider', {}, 'v1.0.0', newest),
        },
      };
      const fails = [`${other} ${newest}`];
      const rounds = new Rounds(memorySource(universe), { distant: true, fails });
      const answer = await resolve(requestFor({ [one]: '>=v1.0.0', [other]: '>=v1.0.0' }), {
        source: rounds.source,
        crossplane: 'v2.3.4',
      });
      expect(rounds.asked.flat()).toContain(`${other} ${newest}`);
      // Versions that were read in vain are counted.
      expect(answer).toMatchObject({ status: 'solved', stats: { fetched: 3 } });
    },
  );

  test('a failed unnecessary read does not change the answer', async () => {
    let vain = 0;
    await fc.assert(
      fc.asyncProperty(providersOfEachOther, async (universe) => {
        const [one, other] = Object.keys(universe.packages);
        const request = requestFor({ [one!]: '>=v1.0.0', [other!]: '>=v1.0.0' });
        const near = new Rounds(memorySource(universe), { distant: false });
        const options = { source: near.source, crossplane: 'v2.3.4' };
        const expected = await resolve(request, options);
        const plain = new Rounds(memorySource(universe), { distant: true });
        await resolve(request, { ...options, source: plain.source });
        const needed = new Set(near.asked.flat());
        const fails = plain.asked.flat().filter((question) => !needed.has(question));
        if (fails.length > 0) vain++;
        const far = new Rounds(memorySource(universe), { distant: true, fails });
        const answer = await resolve(request, { ...options, source: far.source });
        expect({ ...answer, stats: undefined }).toEqual({ ...expected, stats: undefined });
      }),
      { seed: 3, numRuns: 300 },
    );
    expect(vain).toBeGreaterThan(20);
  });

  test('after a conflict, versions are read one at a time, because the order is not predictable', async () => {
    const [a, c, d, e] = PROVIDERS as [string, string, string, string];
    const universe: IndexFile = {
      packages: {
        [a]: {
          kind: 'Provider',
          versions: { 'v1.0.0': {}, 'v2.0.0': { dependsOn: [need(c, '<v2.0.0')] } },
        },
        [c]: {
          kind: 'Provider',
          versions: {
            'v1.0.0': { dependsOn: [need(a, '<v2.0.0')] },
            'v1.1.0': { dependsOn: [need(a, '<v2.0.0')] },
            'v2.0.0': { dependsOn: [need(d, '>=v1.0.0'), need(e, '>=v1.0.0')] },
          },
        },
        [d]: published('Provider', {}, 'v1.0.0', 'v1.1.0'),
        [e]: published('Provider', {}, 'v1.0.0', 'v1.1.0'),
      },
    };
    const rounds = await roundsFor(universe, { [a]: '>=v1.0.0', [c]: '>=v1.0.0' });
    const last = rounds.filter((round) => round.some((line) => /(rds|iam) v1/.test(line)));
    expect(last).toEqual([[`${d} v1.1.0`], [`${e} v1.1.0`]]);
  });

  test('if versions are excluded one by one, growing groups are prefetched', async () => {
    const [one, other] = PROVIDERS as [string, string];
    const unfit = Array.from({ length: 12 }, (_, i) => `v1.${i}.0`);
    const needs = { dependsOn: [need(other, '>=v9.0.0')] };
    const { versions } = published('Provider', needs, ...unfit);
    const universe: IndexFile = {
      packages: {
        [one]: { kind: 'Provider', versions: { 'v0.1.0': {}, ...versions } },
        [other]: published('Provider', {}, 'v1.0.0'),
      },
    };
    const rounds = await roundsFor(universe, { [one]: '*', [other]: '*' });
    const sizes = rounds.map((round) => round.filter((line) => line.startsWith(`${one} `)).length);
    expect(sizes.filter((size) => size > 0)).toEqual([1, 1, 1, 2, 3, 4, 1]);
  });

  test('locked versions are requested at once', async () => {
    const [one, other, third] = PROVIDERS as [string, string, string];
    const universe: IndexFile = {
      packages: {
        [one]: published('Provider', { dependsOn: [need(other, '>=v1.0.0')] }, 'v1.0.0'),
        [other]: published('Provider', { dependsOn: [need(third, '>=v1.0.0')] }, 'v1.0.0'),
        [third]: published('Provider', {}, 'v1.0.0', 'v1.1.0'),
      },
    };
    const source = memorySource(universe);
    const wishes = { source, crossplane: 'v2.3.4' };
    const first = await resolve(requestFor({ [one]: '>=v1.0.0' }), wishes);
    if (first.status !== 'solved') throw new Error('there is an answer');
    const rounds = new Rounds(source, { distant: true });
    const again = await resolve(requestFor({ [one]: '>=v1.0.0' }), {
      ...wishes,
      source: rounds.source,
      lockfile: first.lockfile,
    });
    expect(again).toMatchObject({ status: 'solved', lockfile: first.lockfile });
    expect(rounds.asked).toHaveLength(1);
  });

  test('tag lists that only an excluded version needs are not requested', async () => {
    const [one, other, third] = PROVIDERS as [string, string, string];
    const needs = [
      { provider: one, version: '>=v9.0.0' },
      { provider: third, version: '>=v1.0.0' },
    ];
    const universe: IndexFile = {
      packages: {
        [one]: published('Provider', {}, 'v1.0.0', 'v1.1.0'),
        [other]: {
          kind: 'Provider',
          versions: { 'v1.0.0': {}, 'v2.0.0': { dependsOn: needs } },
        },
        [third]: published('Provider', {}, 'v1.0.0'),
      },
    };
    const asked = (await roundsFor(universe, { [one]: '>=v1.0.0', [other]: '>=v1.0.0' })).flat();
    expect(asked).not.toContain(`tags ${third}`);
  });

  test('answers and failures are the same as from a near source', async () => {
    await fc.assert(
      fc.asyncProperty(scenario(), async ({ universe, request, options }) => {
        const told = await Promise.all(
          [true, false].map(async (distant) => {
            const wishes: ResolveOptions = {
              source: new Rounds(memorySource(universe), { distant }).source,
              prereleases: options.prereleases ?? [],
              allowCycles: options.allowCycles,
            };
            const answer = await resolve(request, wishes).catch((error: unknown) => error);
            return { ...(answer as object), stats: undefined };
          }),
        );
        expect(told[0]).toEqual(told[1]);
      }),
      { seed: 5, numRuns: 150 },
    );
  });
});

test('a near source receives one request at a time, only when it is needed', async () => {
  const rounds = new Rounds(memorySource(platform(ALL)), { distant: false });
  await resolve(requestFor({ [CONFIGURATION]: '>=v1.0.0' }), {
    source: rounds.source,
    crossplane: 'v2.3.4',
  });
  expect(rounds.asked.every((round) => round.length === 1)).toBe(true);
});
