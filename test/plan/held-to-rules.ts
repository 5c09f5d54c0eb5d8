import { expect } from 'vitest';
import { bundleOf } from '../../src/bundle/bundle.js';
import { runOn } from '../../src/cluster/cluster-question.js';
import { EMPTY_CLUSTER, type ClusterState } from '../../src/cluster/cluster-state.js';
import { lockedImages } from '../../src/cluster/locked-images.js';
import { packageConditions } from '../../src/cluster/package-conditions.js';
import { settleCluster, type Settled, type UserAct } from '../../src/cluster/settle-cluster.js';
import { wantedObject } from '../../src/cluster/wanted-object.js';
import type { Lockfile } from '../../src/lock/lockfile.js';
import { ownershipKey } from '../../src/model/owned-object.js';
import { targetFor } from '../../src/model/target/target.js';
import type { PlanStep } from '../../src/plan/plan-journey.js';
import { arrivalOrder } from '../../src/usecases/simulate/arrival-order.js';
import { problemsOf, statesBetween } from './brute-force.js';
import type { Ends } from './ends.js';

/** The states that steps lead through, the ends included. */
export function statesOf({ from, to }: Ends, steps: readonly PlanStep[]): readonly Lockfile[] {
  return [
    from,
    ...steps.map(({ release, after }) => ({
      ...to,
      crossplane: release.version,
      packages: after.map(({ locked }) => locked),
    })),
  ];
}

/** Each state is accepted, and so is each order of the moves that lead from one to the next. */
export function expectAccepted(given: Ends, states: readonly Lockfile[]): void {
  for (const [i, state] of states.entries()) {
    expect(problemsOf(state)).toEqual([]);
    const next = states[i + 1];
    if (next === undefined || handsOver(state, next)) continue;
    expect(statesBetween(state, next).flatMap(problemsOf)).toEqual([]);
    expect(deleted(state, next).filter((key) => ownedIn(given.to).has(key))).toEqual([]);
  }
  expect(versionsOf(states.at(-1)!)).toEqual(versionsOf(given.to));
}

/**
 * A cluster that is led through states does and misses nothing of its own. `seed`: who comes first of
 * those who have something to do; undefined: as applied.
 */
export function expectFollowed(states: readonly Lockfile[], seed: number | undefined): void {
  const images = lockedImages([...states]);
  const next = seed === undefined ? undefined : arrivalOrder(seed);
  const settle = (state: ClusterState, acts: readonly UserAct[], release: string): Settled =>
    runOn(settleCluster(state, acts, { target: targetFor(release)!, next }), images);
  const [start, ...others] = states;
  let { state } = settle(EMPTY_CLUSTER, actsTo(undefined, start!), start!.crossplane);
  for (const [i, to] of others.entries()) {
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
  }
}

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
