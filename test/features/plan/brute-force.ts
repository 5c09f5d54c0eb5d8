import { acceptanceProblems } from '../../../src/project/manifests/acceptance.js';
import { bundleOf } from '../../../src/project/manifests/bundle.js';
import type { LockedPackage, Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';

/**
 * Returns why a cluster of the release would reject these packages, by rules that share no code
 * with plans.
 */
export function problemsOf(state: Lockfile): readonly string[] {
  const target = targetFor(state.crossplane)!;
  const { objects } = bundleOf(state, target, 'tag');
  return (
    acceptanceProblems({ lockfile: state, target, objects })
      // Names depend on earlier lockfiles, which this check does not know.
      .filter(({ rule }) => rule !== 'object-name')
      .map(({ rule, message }) => `${rule}: ${message}`)
  );
}

/**
 * Whether single moves lead from one lockfile to the other through accepted states only, with
 * Crossplane at each of these releases in turn.
 */
export function pathExists(from: Lockfile, to: Lockfile, releases: readonly string[]): boolean {
  const changes = changesOf(from, { ...to, crossplane: from.crossplane });
  const seen = new Set<string>();
  const pending = [{ made: 0, hops: 0 }];
  const all = 2 ** changes.length - 1;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const { made, hops } = at;
    if (made === all && hops === releases.length - 1) return true;
    const moves = [...changes.keys()].map((change) => ({ made: made | (1 << change), hops }));
    for (const next of [...moves, { made, hops: hops + 1 }]) {
      const key = `${next.made} ${next.hops}`;
      const crossplane = releases[next.hops];
      if (seen.has(key) || crossplane === undefined) continue;
      seen.add(key);
      const state = stateWith({ ...from, crossplane }, { ...to, crossplane }, changes, next.made);
      if (problemsOf(state).length === 0) pending.push(next);
    }
  }
  return false;
}

/** Returns every state that occurs if the moves are made in any order. */
export function statesBetween(from: Lockfile, to: Lockfile): Lockfile[] {
  const changes = changesOf(from, to);
  return Array.from({ length: 2 ** changes.length }, (_, made) =>
    stateWith(from, to, changes, made),
  );
}

/** Returns the differing repositories, and `''` for Crossplane. */
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

/** Possible versions of a package along the way, in order; undefined: not installed. */
type Versions = readonly (LockedPackage | undefined)[];

/**
 * Returns the smallest number of intermediate stops with which single moves lead from the first
 * versions of all packages to the last, through accepted states only; undefined: none, or more than
 * `most`.
 */
export function fewestStops(
  to: Lockfile,
  ways: readonly Versions[],
  most: number,
): number | undefined {
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

function stateAt(to: Lockfile, ways: readonly Versions[], at: readonly number[]): Lockfile {
  return { ...to, packages: ways.flatMap((way, route) => way[at[route]!] ?? []) };
}
