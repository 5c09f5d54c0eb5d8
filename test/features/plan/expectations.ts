import { expect } from 'vitest';
import { bundleOf } from '../../../src/project/manifests/bundle.js';
import { runWith } from '../../support/known-images.js';
import {
  EMPTY_CLUSTER,
  type ClusterState,
  packageConditions,
  wantedObject,
} from '../../../src/crossplane/package-manager/cluster-state.js';
import { lockedImages } from '../../support/locked-images.js';
import {
  reconcileCluster,
  type ReconciledCluster,
  type UserChange,
} from '../../../src/crossplane/package-manager/reconcile-cluster.js';
import type { Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { ownershipKey } from '../../../src/crossplane/packages/owned-objects.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import type { PlanStep } from '../../../src/features/plan/steps.js';
import { arrivalOrder } from '../../../src/features/simulate/simulate.js';
import { problemsOf, statesBetween } from './brute-force.js';
import type { Ends } from './lockfile-pairs.js';

/** Returns the states before, between and after the steps. */
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

/** Expects that a cluster accepts each state, and each order of the moves between two states. */
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
 * Expects that a simulated cluster reaches each state without actions or errors of its own. `seed`:
 * order in which controllers act; undefined: order of application.
 */
export function expectFollowed(states: readonly Lockfile[], seed: number | undefined): void {
  const images = lockedImages([...states]);
  const next = seed === undefined ? undefined : arrivalOrder(seed);
  const settle = (
    state: ClusterState,
    acts: readonly UserChange[],
    release: string,
  ): ReconciledCluster =>
    runWith(reconcileCluster(state, acts, { target: targetFor(release)!, next }), images);
  const [start, ...others] = states;
  let { state } = settle(EMPTY_CLUSTER, actionsTo(undefined, start!), start!.crossplane);
  for (const [i, to] of others.entries()) {
    const from = states[i]!;
    const acts = actionsTo(from, to);
    // A new owner waits until the previous owner releases its objects, as the commands of a plan
    // do.
    const [first, last] = handsOver(from, to)
      ? [acts.filter((act) => 'apply' in act), acts.filter((act) => 'remove' in act)]
      : [[], acts];
    const afterApply = settle(state, first, to.crossplane);
    const settled = settle(afterApply.state, last, to.crossplane);
    const target = targetFor(to.crossplane)!;
    const unhealthy = packageConditions(settled.state, target).filter(
      ({ healthy }) => healthy.status !== 'True',
    );
    expect(unhealthy).toEqual([]);
    expect(settled.isAtRest).toBe(true);
    expect(settled.state.objects).toHaveLength(to.packages.length);
    if (!handsOver(from, to)) {
      // While two revisions of a package replace each other, there are temporary errors.
      const unexpected = settled.steps.filter(
        ({ did, message = '' }) =>
          ['installed', 'moved', 'found another'].includes(did) ||
          /incompatible|detected cycle/.test(message),
      );
      expect(unexpected).toEqual([]);
    }
    ({ state } = settled);
  }
}

/**
 * Returns the user actions that lead from one state to the next. Without a first state, everything
 * is applied.
 */
function actionsTo(from: Lockfile | undefined, to: Lockfile): UserChange[] {
  const before = new Set(from?.packages);
  const changed = to.packages.filter((each) => !before.has(each)).map(({ name }) => name);
  const left = new Set(to.packages.map(({ name }) => name));
  const objects = bundleOf(to, targetFor(to.crossplane)!, 'tag').objects.map(wantedObject);
  return [
    ...(from?.packages ?? [])
      .filter(({ name }) => !left.has(name))
      .map(({ kind, name }): UserChange => ({ remove: { kind, name } })),
    ...objects.flatMap((apply): UserChange[] =>
      apply !== undefined && changed.includes(apply.name) ? [{ apply }] : [],
    ),
  ];
}

/** Whether objects change their owner, which needs one step in place of moves in any order. */
function handsOver(before: Lockfile, after: Lockfile): boolean {
  const old = ownedIn(before);
  return [...ownedIn(after)].some(([key, owner]) => old.has(key) && old.get(key) !== owner);
}

/** Returns the repository of the owner by object key. */
function ownedIn({ packages }: Lockfile): ReadonlyMap<string, string> {
  return new Map(
    packages.flatMap(({ owns, repository }) =>
      owns.map((owned) => [ownershipKey(owned), repository]),
    ),
  );
}

/** Returns the keys of objects that are deleted with removed packages. */
function deleted(before: Lockfile, after: Lockfile): string[] {
  const left = new Set(after.packages.map(({ repository }) => repository));
  return [...ownedIn(before)].flatMap(([key, owner]) =>
    left.has(owner) || ownedIn(after).has(key) ? [] : [key],
  );
}

function versionsOf({ crossplane, packages }: Lockfile): string[] {
  return [crossplane, ...packages.map(({ repository, version }) => `${repository} ${version}`)];
}
