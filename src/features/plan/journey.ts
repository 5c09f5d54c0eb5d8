import { isDeepStrictEqual } from 'node:util';
import { byCodePoint } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import type { OwnedObject } from '../../crossplane/packages/owned-objects.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { releasesBetween, type Target, targetFor } from '../../crossplane/releases/target.js';
import {
  isSameInstallation,
  type LockedPackage,
  type Lockfile,
} from '../../project/lockfile/lockfile.js';

/** A package as it is installed in a cluster. */
export interface Stop {
  readonly locked: LockedPackage;
  /** Whether its object has `skipDependencyResolution: true`. */
  readonly skips: boolean;
}

/** The versions that one package passes through. */
export interface Route {
  readonly repository: Repository;
  /** From first to last; undefined: not installed. A single stop: the package does not change. */
  readonly stops: readonly (Stop | undefined)[];
}

/** The route of Crossplane and of each package from one lockfile to another. */
export interface Journey {
  /** Releases of Crossplane, from first to last. A single release: Crossplane does not change. */
  readonly releases: readonly Target[];
  /** Sorted by repository. */
  readonly routes: readonly Route[];
  readonly refusal?: ContentRefusal | undefined;
}

/** Returns why a release rejects a package; undefined: it does not, or contents are unknown. */
export type ContentRefusal = (locked: LockedPackage, release: Target) => string | undefined;

/** Intermediate releases of Crossplane and versions of packages. */
export interface Between {
  /** Releases of Crossplane, in addition to the newest patch of each minor version. */
  readonly releases?: readonly Target[] | undefined;
  /** Versions of one package are in the order in which it passes through them. */
  readonly packages?: readonly LockedPackage[] | undefined;
}

/** Returns the journey from one lockfile to another. */
export function journeyBetween(
  from: Lockfile,
  to: Lockfile,
  between: Between = {},
  refusal?: ContentRefusal,
): Journey {
  const [before, after] = [stopsOf(from), stopsOf(to)];
  const via = between.packages ?? [];
  const repositories = [
    ...new Set([...before.keys(), ...after.keys(), ...via.map(({ repository }) => repository)]),
  ].sort(byCodePoint);
  return {
    releases: releasesOf(releaseOf(from.crossplane), releaseOf(to.crossplane), between.releases),
    routes: repositories.map((repository): Route => {
      const [a, b] = [before.get(repository), after.get(repository)];
      const stopovers = via.filter((locked) => locked.repository === repository);
      if (stopovers.length > 0) {
        return { repository, stops: [a, ...stopovers.map((locked) => stopIn(to, locked)), b] };
      }
      return { repository, stops: isSame(a, b) ? [a] : [a, b] };
    }),
    refusal,
  };
}

function releasesOf(from: Target, to: Target, via: readonly Target[] = []): Target[] {
  const releases = [from, ...via, to].filter(
    ({ version }, at, all) => at === 0 || version !== all[at - 1]!.version,
  );
  return releases.flatMap((release, at) => {
    const before = releases[at - 1];
    return before === undefined ? [release] : [...releasesBetween(before, release), release];
  });
}

function stopsOf(lockfile: Lockfile): ReadonlyMap<Repository, Stop> {
  return new Map(lockfile.packages.map((locked) => [locked.repository, stopIn(lockfile, locked)]));
}

function stopIn({ skipDependencyResolution: reasons }: Lockfile, locked: LockedPackage): Stop {
  const skips = locked.object.spec['skipDependencyResolution'] === true;
  return { locked, skips: skips || reasons.length > 0 };
}

/** Whether nothing must be applied to get from one stop to the other. */
function isSame(a: Stop | undefined, b: Stop | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const { locked: before, skips } = a;
  const { locked: after } = b;
  return (
    before.version === after.version &&
    (before.digest ?? after.digest) === (after.digest ?? before.digest) &&
    isSameInstallation(before, after) &&
    skips === b.skips &&
    isDeepStrictEqual(before.object, after.object)
  );
}

function releaseOf(crossplane: string): Target {
  const target = targetFor(crossplane);
  if (target === undefined) throw new InputError(`\`${crossplane}\` is not a Crossplane release`);
  return target;
}

/** A stop of a route. The route of Crossplane is `CROSSPLANE`. */
export interface Position {
  readonly route: number;
  readonly stop: number;
}

/** Index of the route of Crossplane. */
export const CROSSPLANE = -1;

/** Positions that must not occur at the same time, and the reason. */
export interface Conflict {
  readonly positions: readonly Position[];
  readonly cause: Cause;
}

/** The rule of the cluster that a state violates. */
export type Cause =
  | {
      readonly rule: 'version' | 'kind';
      readonly requirer: LockedPackage;
      readonly required: LockedPackage;
      readonly constraint: string;
    }
  | {
      readonly rule: 'missing';
      readonly requirer: LockedPackage;
      /** The requirement: a repository, or the name of an API. */
      readonly required: Repository;
      readonly constraint: string;
    }
  | {
      /** `owner`: both own these objects; `kept`: they are deleted with the first. */
      readonly rule: 'owner' | 'kept';
      readonly from: LockedPackage;
      readonly to: LockedPackage;
      readonly objects: readonly OwnedObject[];
    }
  | {
      /** `controller-config`: the release does not support the ControllerConfig of the package. */
      readonly rule: 'crossplane' | 'reference' | 'controller-config';
      readonly locked: LockedPackage;
      readonly release: string;
    }
  | {
      /** The release rejects the contents of the package. */
      readonly rule: 'content';
      readonly locked: LockedPackage;
      readonly release: string;
      readonly reason: string;
    }
  | { readonly rule: 'cycle'; readonly members: readonly LockedPackage[] };

/** An upgrade of Crossplane or an update of a package: from one stop of a route to the next. */
export interface Leg {
  readonly route: number;
  /** Index of the destination. */
  readonly to: number;
}

/** The legs of a journey. Each leg is one object, so legs are compared by identity. */
export class Legs {
  readonly all: readonly Leg[];
  readonly #byRoute: ReadonlyMap<number, readonly Leg[]>;

  constructor({ routes, releases }: Journey) {
    this.#byRoute = new Map([
      [CROSSPLANE, legsOf(CROSSPLANE, releases.length)],
      ...routes.map(({ stops }, route) => [route, legsOf(route, stops.length)] as const),
    ]);
    this.all = [...this.#byRoute.values()].flat();
  }

  /** Returns the legs of one route, from first to last. */
  of(route: number): readonly Leg[] {
    return this.#byRoute.get(route)!;
  }

  /** Returns the leg that leads to a position; undefined: the route begins there. */
  into({ route, stop }: Position): Leg | undefined {
    return this.of(route)[stop - 1];
  }

  /** Returns the leg that leaves a position; undefined: the route ends there. */
  outOf({ route, stop }: Position): Leg | undefined {
    return this.of(route)[stop];
  }
}

function legsOf(route: number, stops: number): readonly Leg[] {
  return Array.from({ length: stops - 1 }, (_, at) => ({ route, to: at + 1 }));
}
