import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { journeyBetween } from '../../../src/features/plan/journey.js';
import { planJourney } from '../../../src/features/plan/steps.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import type { Scenario } from '../../../src/testing/generators/scenario.js';
import { exhaustive } from '../../../src/testing/oracles/exhaustive.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { solvable } from '../../support/universes.js';
import { problemsOf, statesBetween, pathExists } from './brute-force.js';
import { ends, PATHS, type Ends } from './lockfile-pairs.js';
import { expectAccepted, expectFollowed, statesOf } from './expectations.js';

const RUNS = 400;

/** Returns the states of a plan; undefined: there is none. */
function planned(given: Ends): readonly Lockfile[] | undefined {
  const plan = planJourney(journeyBetween(given.from, given.to));
  return plan.status === 'planned' ? statesOf(given, plan.steps) : undefined;
}

function expectPlanAccepted(given: Ends): void {
  const states = planned(given);
  if (states !== undefined) expectAccepted(given, states);
}

const isUpgrade = ({ from, to }: Ends) => from.crossplane <= to.crossplane;
const hasAcceptedEnds = ({ from, to }: Ends) =>
  problemsOf(from).length + problemsOf(to).length === 0;

test('a cluster accepts every prefix of a plan, and every order of the moves of a step', () => {
  const given = ends({ packages: 6, owns: true }).filter(hasAcceptedEnds);
  fc.assert(fc.property(given, expectPlanAccepted), { numRuns: RUNS, seed: 7 });
});

test('this also applies to plans between answers of the resolver', async () => {
  const releases = fc.constantFrom<readonly [string, string]>(
    ['v2.3.4', 'v2.3.4'],
    ['v1.20.0', 'v2.3.4'],
  );
  const knobs = { packages: 6, roots: 3, overrides: 0, replace: 0, localRoots: 0, crdRoots: 0 };
  const solvableAtBoth = releases.chain(([old, young]) => {
    const given = { allowCycles: false };
    const isSolvable = ({ universe, request }: Scenario) =>
      exhaustive(universe, request, { ...given, crossplane: young }).status === 'solved';
    const made = solvable(knobs, { ...given, crossplane: old }).filter(isSolvable);
    return fc.record({ made, old: fc.constant(old), young: fc.constant(young) });
  });
  const property = fc.asyncProperty(solvableAtBoth, async ({ made, old, young }) => {
    const options = { source: memorySource(made.universe), allowCycles: false };
    const low = await resolve(made.request, { ...options, prefer: 'lowest', crossplane: old });
    const high = await resolve(made.request, { ...options, crossplane: young });
    fc.pre(low.status === 'solved' && high.status === 'solved');
    const [from, to] = [low.lockfile, high.lockfile];
    fc.pre([from, to].every((each) => each.skipDependencyResolution.length === 0));
    expectPlanAccepted({ from, to });
    expectPlanAccepted({ from: to, to: from });
  });
  await fc.assert(property, { numRuns: 40, seed: 7 });
});

test('there is a plan if and only if single moves lead to the end', () => {
  // Changes of ownership need more than single moves.
  const given = ends({ packages: 5, owns: false }).filter(hasAcceptedEnds);
  const found = { planned: 0, impossible: 0, 'gave-up': 0 };
  const property = fc.property(given, ({ from, to }) => {
    const { status } = planJourney(journeyBetween(from, to));
    found[status] += 1;
    const path = PATHS.find((each) => each[0] === from.crossplane && each.at(-1) === to.crossplane);
    expect(status).toBe(pathExists(from, to, path!) ? 'planned' : 'impossible');
  });
  fc.assert(property, { numRuns: RUNS, seed: 7 });
  expect(found.planned).toBeGreaterThan(RUNS / 10);
  expect(found.impossible).toBeGreaterThan(RUNS / 10);
});

test('no two steps can be merged', () => {
  const property = fc.property(
    ends({ packages: 5, owns: false }).filter(hasAcceptedEnds),
    (given) => {
      const states = planned(given) ?? [];
      for (const [i, state] of states.entries()) {
        const next = states[i + 2];
        if (next === undefined || next.crossplane !== state.crossplane) continue;
        expect(statesBetween(state, next).flatMap(problemsOf)).not.toEqual([]);
      }
    },
  );
  fc.assert(property, { numRuns: RUNS, seed: 7 });
});

/** Orders in which controllers act: the order of application, and two random ones. */
const SEEDS = [undefined, 1, 2];

test('a simulated cluster follows every step without actions or errors of its own', () => {
  // Only upgrades: the CRDs that v2 creates from MRDs still belong to them in v1, which has no
  // MRDs.
  const possible = ends({ packages: 5, owns: true })
    .filter((each) => isUpgrade(each) && hasAcceptedEnds(each))
    .map(planned)
    .filter((states) => states !== undefined);
  let followed = 0;
  const property = fc.property(possible, fc.constantFrom(...SEEDS), (states, seed) => {
    expectFollowed(states, seed);
    followed += states.length - 1;
  });
  fc.assert(property, { numRuns: RUNS * 0.75, seed: 7 });
  expect(followed).toBeGreaterThan(RUNS / 2);
});
