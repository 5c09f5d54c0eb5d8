import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Lockfile } from '../../src/lock/lockfile.js';
import { journeyBetween } from '../../src/plan/journey.js';
import { planJourney } from '../../src/plan/plan-journey.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { scenario } from '../../src/testing/generate/scenario.js';
import { resolve } from '../../src/usecases/resolve/resolve.js';
import { problemsOf, statesBetween, wayExists } from './brute-force.js';
import { ends, type Ends } from './ends.js';
import { expectAccepted, expectFollowed, statesOf } from './held-to-rules.js';

const RUNS = 400;

/** The states that a plan leads through; undefined: there is none. */
function planned(given: Ends): readonly Lockfile[] | undefined {
  const plan = planJourney(journeyBetween(given.from, given.to));
  return plan.status === 'planned' ? statesOf(given, plan.steps) : undefined;
}

function holdsFor(given: Ends): void {
  const states = planned(given);
  if (states !== undefined) expectAccepted(given, states);
}

const isUpgrade = ({ from, to }: Ends) => from.crossplane <= to.crossplane;
const usable = ({ from, to }: Ends) => problemsOf(from).length + problemsOf(to).length === 0;

test('every prefix of a plan is accepted, and so is every order of the moves of a step', () => {
  const given = ends({ packages: 6, owns: true }).filter(usable);
  fc.assert(fc.property(given, holdsFor), { numRuns: RUNS, seed: 7 });
});

test('so it is of plans between answers of the resolver', async () => {
  const releases = fc.constantFrom<readonly [string, string]>(
    ['v2.3.4', 'v2.3.4'],
    ['v1.20.0', 'v2.3.4'],
  );
  const knobs = { packages: 6, roots: 3, overrides: 0, replace: 0, localRoots: 0, crdRoots: 0 };
  let checked = 0;
  const property = fc.asyncProperty(scenario(knobs), releases, async (made, [old, young]) => {
    const options = { source: memorySource(made.universe), allowCycles: false };
    const low = await resolve(made.request, { ...options, prefer: 'lowest', crossplane: old });
    const high = await resolve(made.request, { ...options, crossplane: young });
    if (low.status !== 'solved' || high.status !== 'solved') return;
    const [from, to] = [low.lockfile, high.lockfile];
    if ([from, to].some((each) => each.skipDependencyResolution.length > 0)) return;
    checked += 1;
    holdsFor({ from, to });
    holdsFor({ from: to, to: from });
  });
  await fc.assert(property, { numRuns: 60, seed: 7 });
  expect(checked).toBeGreaterThan(10);
});

test('there is a plan wherever single moves lead to the end, and nowhere else', () => {
  // Objects that change hands need more than single moves.
  const given = ends({ packages: 5, owns: false }).filter(usable);
  const found = { planned: 0, impossible: 0, 'gave-up': 0 };
  const property = fc.property(given, ({ from, to }) => {
    const { status } = planJourney(journeyBetween(from, to));
    found[status] += 1;
    expect(status).toBe(wayExists(from, to) ? 'planned' : 'impossible');
  });
  fc.assert(property, { numRuns: RUNS, seed: 7 });
  expect(found.planned).toBeGreaterThan(RUNS / 10);
  expect(found.impossible).toBeGreaterThan(RUNS / 10);
});

test('no two steps could be one', () => {
  const property = fc.property(ends({ packages: 5, owns: false }).filter(usable), (given) => {
    const states = planned(given) ?? [];
    for (const [i, state] of states.entries()) {
      const next = states[i + 2];
      if (next === undefined || next.crossplane !== state.crossplane) continue;
      expect(statesBetween(state, next).flatMap(problemsOf)).not.toEqual([]);
    }
  });
  fc.assert(property, { numRuns: RUNS, seed: 7 });
});

/** Which of those who have something to do come first: as applied, and otherwise. */
const SEEDS = [undefined, 1, 2];

test('a cluster follows every step, and does and misses nothing of its own', () => {
  // The CRDs that v2 makes of MRDs stay theirs in v1, which knows no MRD: there is no way back.
  const given = ends({ packages: 5, owns: true }).filter((each) => isUpgrade(each) && usable(each));
  let followed = 0;
  const property = fc.property(given, fc.constantFrom(...SEEDS), (both, seed) => {
    const states = planned(both);
    if (states === undefined) return;
    expectFollowed(states, seed);
    followed += states.length - 1;
  });
  fc.assert(property, { numRuns: RUNS, seed: 7 });
  expect(followed).toBeGreaterThan(RUNS / 2);
});
