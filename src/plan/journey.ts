import { isDeepStrictEqual } from 'node:util';
import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import { InputError } from '../model/input-error.js';
import type { Repository } from '../model/package.js';
import { targetFor, type Target } from '../model/target/target.js';
import { byCodePoint } from '../text/code-point-order.js';

/** A package as a cluster holds it. */
export interface Stop {
  readonly locked: LockedPackage;
  /** Its object has `skipDependencyResolution: true`. */
  readonly skips: boolean;
}

/** What becomes of one package. */
export interface Route {
  readonly repository: Repository;
  /** From first to last; undefined: it is not installed. One stop: it stays as it is. */
  readonly stops: readonly (Stop | undefined)[];
}

/** What becomes of a whole cluster: of Crossplane, and of each package. */
export interface Journey {
  /** Releases of Crossplane, from first to last; one: it stays. */
  readonly releases: readonly Target[];
  /** By repository. */
  readonly routes: readonly Route[];
}

/** What lies between the ends: a release, or versions of packages, which may be in neither lockfile. */
export interface Between {
  readonly release?: Target | undefined;
  /** Of one package, in the order in which it passes through them. */
  readonly packages?: readonly LockedPackage[] | undefined;
}

/** The journey from one lockfile to another. */
export function journeyBetween(from: Lockfile, to: Lockfile, between: Between = {}): Journey {
  const [before, after] = [stopsOf(from), stopsOf(to)];
  const via = between.packages ?? [];
  const repositories = [
    ...new Set([...before.keys(), ...after.keys(), ...via.map(({ repository }) => repository)]),
  ].sort(byCodePoint);
  const ends = from.crossplane === to.crossplane ? [from] : [from, to];
  const releases = ends.map(({ crossplane }) => releaseOf(crossplane));
  if (between.release !== undefined) releases.splice(1, 0, between.release);
  return {
    releases,
    routes: repositories.map((repository): Route => {
      const [a, b] = [before.get(repository), after.get(repository)];
      const passed = via.filter((locked) => locked.repository === repository);
      if (passed.length > 0) {
        return { repository, stops: [a, ...passed.map((locked) => stopIn(to, locked)), b] };
      }
      return { repository, stops: isSame(a, b) ? [a] : [a, b] };
    }),
  };
}

function stopsOf(lockfile: Lockfile): ReadonlyMap<Repository, Stop> {
  return new Map(lockfile.packages.map((locked) => [locked.repository, stopIn(lockfile, locked)]));
}

function stopIn({ skipDependencyResolution: reasons }: Lockfile, locked: LockedPackage): Stop {
  const skips = locked.object.spec['skipDependencyResolution'] === true;
  return { locked, skips: skips || reasons.length > 0 };
}

/** Nothing is to be applied for the one to become the other. */
function isSame(a: Stop | undefined, b: Stop | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const { locked: before, skips } = a;
  const { locked: after } = b;
  return (
    before.version === after.version &&
    (before.digest ?? after.digest) === (after.digest ?? before.digest) &&
    before.kind === after.kind &&
    before.name === after.name &&
    skips === b.skips &&
    isDeepStrictEqual(before.object, after.object)
  );
}

function releaseOf(crossplane: string): Target {
  const target = targetFor(crossplane);
  if (target === undefined) throw new InputError(`\`${crossplane}\` is not a Crossplane release`);
  return target;
}
