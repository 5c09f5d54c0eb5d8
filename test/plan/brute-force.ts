import { acceptanceProblems } from '../../src/bundle/acceptance/acceptance.js';
import { bundleOf } from '../../src/bundle/bundle.js';
import type { LockedPackage, Lockfile } from '../../src/lock/lockfile.js';
import { targetFor } from '../../src/model/target/target.js';

/**
 * Why a cluster of the release would not take these packages, by rules that share no code with
 * those of plans.
 */
export function problemsOf(state: Lockfile): readonly string[] {
  const target = targetFor(state.crossplane)!;
  const { objects } = bundleOf(state, target, 'tag');
  return (
    acceptanceProblems({ lockfile: state, target, objects })
      // Names are kept from one lockfile to the next; whose turn it was to have one is not told.
      .filter(({ rule }) => rule !== 'object-name')
      .map(({ rule, message }) => `${rule}: ${message}`)
  );
}

/** Whether single moves lead from one to the other, each of them to a state that is accepted. */
export function wayExists(from: Lockfile, to: Lockfile): boolean {
  const changes = changesOf(from, to);
  const seen = new Set<number>();
  const ahead = [0];
  const goal = 2 ** changes.length - 1;
  for (let made = ahead.pop(); made !== undefined; made = ahead.pop()) {
    if (made === goal) return true;
    for (const change of changes.keys()) {
      const next = made | (1 << change);
      if (seen.has(next)) continue;
      seen.add(next);
      if (problemsOf(stateWith(from, to, changes, next)).length === 0) ahead.push(next);
    }
  }
  return false;
}

/** Every state on some way through moves that may be made in any order. */
export function statesBetween(from: Lockfile, to: Lockfile): Lockfile[] {
  const changes = changesOf(from, to);
  return Array.from({ length: 2 ** changes.length }, (_, made) =>
    stateWith(from, to, changes, made),
  );
}

/** What differs: repositories, and `''` for Crossplane. */
export function changesOf(from: Lockfile, to: Lockfile): readonly string[] {
  const [before, after] = [versionsIn(from), versionsIn(to)];
  const repositories = [...new Set([...before.keys(), ...after.keys()])].filter(
    (repository) => before.get(repository) !== after.get(repository),
  );
  return from.crossplane === to.crossplane ? repositories : [...repositories, ''];
}

function versionsIn({ packages }: Lockfile): ReadonlyMap<string, string> {
  return new Map(packages.map(({ repository, version }) => [repository, version]));
}

function stateWith(
  from: Lockfile,
  to: Lockfile,
  changes: readonly string[],
  made: number,
): Lockfile {
  const moved = new Set(changes.filter((_, change) => (made & (1 << change)) !== 0));
  return {
    ...to,
    crossplane: moved.has('') ? to.crossplane : from.crossplane,
    packages: [
      ...from.packages.filter(({ repository }) => !moved.has(repository)),
      ...to.packages.filter(({ repository }) => moved.has(repository)),
    ].sort((a, b) => (a.repository < b.repository ? -1 : 1)),
  };
}

/** A package with the versions that it may have on the way, in this order; undefined: it is not there. */
type Way = readonly (LockedPackage | undefined)[];

/**
 * The fewest stops in between with which single moves lead from the first of all ways to the last, each
 * to a state that is accepted; undefined: more than so many, or none do.
 */
export function fewestStops(to: Lockfile, ways: readonly Way[], most: number): number | undefined {
  const accepted = new Map<string, boolean>();
  const isAccepted = (at: readonly number[]) => {
    const key = at.join();
    const known = accepted.get(key) ?? problemsOf(stateAt(to, ways, at)).length === 0;
    accepted.set(key, known);
    return known;
  };
  const goal = ways.map((way) => way.length - 1).join();
  let level = [ways.map(() => 0)];
  const seen = new Set<string>();
  for (let stops = 0; stops <= most; stops += 1) {
    const further: number[][] = [];
    for (let at = level.pop(); at !== undefined; at = level.pop()) {
      if (seen.has(at.join()) || !isAccepted(at)) continue;
      seen.add(at.join());
      if (at.join() === goal) return stops;
      for (const [route, way] of ways.entries()) {
        for (let stop = at[route]! + 1; stop < way.length; stop += 1) {
          (stop === way.length - 1 ? level : further).push(at.with(route, stop));
        }
      }
    }
    level = further;
  }
  return undefined;
}

function stateAt(to: Lockfile, ways: readonly Way[], at: readonly number[]): Lockfile {
  return { ...to, packages: ways.flatMap((way, route) => way[at[route]!] ?? []) };
}
