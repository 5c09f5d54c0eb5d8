import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { bundleOf } from '../../src/bundle/bundle.js';
import { runOn } from '../../src/cluster/cluster-question.js';
import { EMPTY_CLUSTER, type ClusterState } from '../../src/cluster/cluster-state.js';
import { lockedImages } from '../../src/cluster/locked-images.js';
import { packageConditions } from '../../src/cluster/package-conditions.js';
import { settleCluster, type Settled, type UserAct } from '../../src/cluster/settle-cluster.js';
import { wantedObject } from '../../src/cluster/wanted-object.js';
import type { Lockfile } from '../../src/lock/lockfile.js';
import { targetFor } from '../../src/model/target/target.js';
import { seeded } from '../../src/usecases/fuzz/seeded.js';
import { ownershipKey } from '../../src/model/owned-object.js';
import { journeyBetween } from '../../src/plan/journey.js';
import { planJourney, type PlanStep } from '../../src/plan/plan-journey.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { scenario } from '../../src/testing/generate/scenario.js';
import { resolve } from '../../src/usecases/resolve/resolve.js';
import { problemsOf, statesBetween, wayExists } from './brute-force.js';
import { ends, type Ends } from './ends.js';

const RUNS = 400;

function stateAfter({ release, after }: PlanStep, { to }: Ends): Lockfile {
  return { ...to, crossplane: release.version, packages: after.map(({ locked }) => locked) };
}

/** The states that a plan leads through, the ends included; undefined: there is no plan. */
function statesOf(given: Ends): readonly Lockfile[] | undefined {
  const plan = planJourney(journeyBetween(given.from, given.to));
  if (plan.status !== 'planned') return undefined;
  return [given.from, ...plan.steps.map((step) => stateAfter(step, given))];
}

function holdsFor(given: Ends): void {
  const states = statesOf(given);
  if (states === undefined) return;
  for (const [i, state] of states.entries()) {
    expect(problemsOf(state)).toEqual([]);
    const next = states[i + 1];
    if (next === undefined || handsOver(state, next)) continue;
    expect(statesBetween(state, next).flatMap(problemsOf)).toEqual([]);
    expect(deleted(state, next).filter((key) => ownedIn(given.to).has(key))).toEqual([]);
  }
  expect(versionsOf(states.at(-1)!)).toEqual(versionsOf(given.to));
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
    const states = statesOf(given) ?? [];
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
    const states = statesOf(both);
    if (states === undefined) return;
    const images = lockedImages([both.from, both.to]);
    const next = seed === undefined ? undefined : seeded(seed);
    const settle = (state: ClusterState, acts: readonly UserAct[], release: string): Settled =>
      runOn(settleCluster(state, acts, { target: targetFor(release)!, next }), images);
    let { state } = settle(EMPTY_CLUSTER, actsTo(undefined, both.from), both.from.crossplane);
    for (const [i, to] of states.slice(1).entries()) {
      const from = states[i]!;
      const acts = actsTo(from, to);
      // Who takes over waits until the giver lets go, as it does on the way out.
      const [first, last] = handsOver(from, to)
        ? [acts.filter((act) => 'apply' in act), acts.filter((act) => 'remove' in act)]
        : [[], acts];
      const taking = settle(state, first, to.crossplane);
      const settled = settle(taking.state, last, to.crossplane);
      const target = targetFor(to.crossplane)!;
      const unhealthy = packageConditions(settled.state, target).filter(
        ({ healthy }) => healthy.status !== 'True',
      );
      expect(unhealthy).toEqual([]);
      expect(settled.isAtRest).toBe(true);
      expect(settled.state.objects).toHaveLength(to.packages.length);
      if (!handsOver(from, to)) {
        // While two revisions of a package take turns, much fails that mends itself.
        const odd = settled.steps.filter(
          ({ did, message = '' }) =>
            ['installed', 'moved', 'found another'].includes(did) ||
            /incompatible|detected cycle/.test(message),
        );
        expect(odd).toEqual([]);
      }
      ({ state } = settled);
      followed += 1;
    }
  });
  fc.assert(property, { numRuns: RUNS, seed: 7 });
  expect(followed).toBeGreaterThan(RUNS / 2);
});

/** What is applied and removed to get from one state to the next; all of it at first. */
function actsTo(from: Lockfile | undefined, to: Lockfile): UserAct[] {
  const before = new Set(from?.packages);
  const changed = to.packages.filter((each) => !before.has(each)).map(({ name }) => name);
  const left = new Set(to.packages.map(({ name }) => name));
  const objects = bundleOf(to, targetFor(to.crossplane)!, 'tag').objects.map(wantedObject);
  return [
    ...(from?.packages ?? [])
      .filter(({ name }) => !left.has(name))
      .map(({ kind, name }): UserAct => ({ remove: { kind, name } })),
    ...objects.flatMap((apply): UserAct[] =>
      apply !== undefined && changed.includes(apply.name) ? [{ apply }] : [],
    ),
  ];
}

/** Objects change owner in one step, which is then more than moves in any order. */
function handsOver(before: Lockfile, after: Lockfile): boolean {
  const old = ownedIn(before);
  return [...ownedIn(after)].some(([key, owner]) => old.has(key) && old.get(key) !== owner);
}

/** By key, the repository of the owner. */
function ownedIn({ packages }: Lockfile): ReadonlyMap<string, string> {
  return new Map(
    packages.flatMap(({ owns, repository }) =>
      owns.map((owned) => [ownershipKey(owned), repository]),
    ),
  );
}

/** What goes with packages that are removed. */
function deleted(before: Lockfile, after: Lockfile): string[] {
  const left = new Set(after.packages.map(({ repository }) => repository));
  return [...ownedIn(before)].flatMap(([key, owner]) =>
    left.has(owner) || ownedIn(after).has(key) ? [] : [key],
  );
}

function versionsOf({ crossplane, packages }: Lockfile): string[] {
  return [crossplane, ...packages.map(({ repository, version }) => `${repository} ${version}`)];
}
