import { isDeepStrictEqual } from 'node:util';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { InputError } from '../../base/errors.js';
import { selectorOf } from '../../crossplane/constraints/constraint.js';
import { satisfies } from '../../crossplane/constraints/installable-versions.js';
import { type OwnedObject, ownershipKey } from '../../crossplane/packages/owned-objects.js';
import type { CrdRequirement, PackageRequirement } from '../../crossplane/packages/package-meta.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { joinReference, validPackageReference } from '../../crossplane/packages/reference.js';
import { releasesBetween, type Target, targetFor } from '../../crossplane/releases/target.js';
import {
  isSameInstallation,
  type LockedPackage,
  type Lockfile,
  usesControllerConfig,
} from '../../project/lockfile/lockfile.js';

/** A package as it is installed in a cluster. */
export interface Stop {
  readonly locked: LockedPackage;
  /** Whether its object has `skipDependencyResolution: true`. */
  readonly skips: boolean;
}

/** The versions that one package passes through. */
interface Route {
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
      const stopovers = via
        .filter((locked) => locked.repository === repository)
        .map((locked) => stopIn(to, locked));
      const isUnchanged = stopovers.length === 0 && isSame(a, b);
      return { repository, stops: isUnchanged ? [a] : [a, ...stopovers, b] };
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
  const [before, after] = [a.locked, b.locked];
  return (
    before.version === after.version &&
    (before.digest ?? after.digest) === (after.digest ?? before.digest) &&
    isSameInstallation(before, after) &&
    a.skips === b.skips &&
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

/** Returns the legs of each route, from first to last. Legs are compared by identity. */
export function legsOf({ routes, releases }: Journey): ReadonlyMap<number, readonly Leg[]> {
  const between = (route: number, stops: readonly unknown[]) =>
    stops.slice(1).map((_, at): Leg => ({ route, to: at + 1 }));
  return new Map([
    [CROSSPLANE, between(CROSSPLANE, releases)],
    ...routes.map(({ stops }, route) => [route, between(route, stops)] as const),
  ]);
}

export interface PlacedStop extends Position {
  readonly at: Stop;
}

/** Returns the positions of all routes in which a package is installed. */
function installedStops({ routes }: Journey): readonly PlacedStop[] {
  return routes.flatMap(({ stops }, route) =>
    stops.flatMap((at, stop) => (at === undefined ? [] : [{ route, stop, at }])),
  );
}

/** Returns states with two owners of an object, or without one before its new owner comes. */
export function ownershipConflicts(journey: Journey): readonly Conflict[] {
  const owners = new Map<string, (PlacedStop & { readonly owned: OwnedObject })[]>();
  for (const placed of installedStops(journey)) {
    for (const owned of placed.at.locked.owns) {
      getOrCreate(owners, ownershipKey(owned), () => []).push({ ...placed, owned });
    }
  }
  const pairs = new Map<string, { from: PlacedStop; to: PlacedStop; objects: OwnedObject[] }>();
  for (const ownersOfOne of owners.values()) {
    for (const one of ownersOfOne) {
      for (const other of ownersOfOne) {
        if (one.route >= other.route) continue;
        const [from, to] = one.stop <= other.stop ? [one, other] : [other, one];
        const id = `${from.route}@${from.stop} ${to.route}@${to.stop}`;
        getOrCreate(pairs, id, () => ({ from, to, objects: [] })).objects.push(from.owned);
      }
    }
  }
  return [...pairs.values()].flatMap(({ from, to, objects }) => {
    const cause: Cause = { rule: 'owner', from: from.at.locked, to: to.at.locked, objects };
    return [
      ...onReleases(journey, [from, to], (release) =>
        installs(from.at, release) && installs(to.at, release) ? cause : undefined,
      ),
      ...prematureDeletions(journey, from, to, cause),
    ];
  });
}

function installs({ locked }: Stop, { rules }: Target): boolean {
  return locked.kind !== 'Function' || rules.functionObjectsInstalled;
}

/** Returns states in which a removed package deletes objects that no other package owns yet. */
function prematureDeletions(
  { routes }: Journey,
  from: PlacedStop,
  to: PlacedStop,
  cause: Extract<Cause, { rule: 'owner' | 'kept' }>,
): readonly Conflict[] {
  const [oldStops, newStops] = [routes[from.route]!.stops, routes[to.route]!.stops];
  if (oldStops.at(-1) !== undefined || to.stop !== newStops.length - 1) return [];
  if (!cause.objects.some((object) => canChangeOwner(object, to.at))) return [];
  const removed = { route: from.route, stop: oldStops.length - 1 };
  const keys = cause.objects.map(ownershipKey);
  return newStops.flatMap((at, stop): Conflict[] => {
    const owned = new Set(at?.locked.owns.map(ownershipKey));
    if (keys.every((key) => owned.has(key))) return [];
    return [{ positions: [removed, { route: to.route, stop }], cause: { ...cause, rule: 'kept' } }];
  });
}

/** The CRD of an XRD belongs to the XRD and is deleted with it. No provider can take it over. */
function canChangeOwner({ kind, name }: OwnedObject, to: Stop): boolean {
  if (kind !== 'XRD' && kind !== 'claim') return true;
  return to.locked.owns.some((owned) => owned.kind === kind && owned.name === name);
}

/** Returns states in which a release of Crossplane rejects a package. */
export function releaseConflicts(journey: Journey): readonly Conflict[] {
  return installedStops(journey).flatMap((placed) =>
    onReleases(journey, [placed], (release) => rejection(release, placed.at, journey)),
  );
}

/**
 * Returns states in which a package refers to a ControllerConfig that the release ignores, although
 * its next version does not. Such packages should move while Crossplane still has
 * ControllerConfigs. An order that breaks this rule works, but with default settings.
 */
export function controllerConfigConflicts(journey: Journey): readonly Conflict[] {
  const { releases, routes } = journey;
  if (!releases[0]!.rules.controllerConfigRef) return [];
  return installedStops(journey).flatMap((placed) => {
    const { locked } = placed.at;
    const next = routes[placed.route]!.stops[placed.stop + 1];
    if (next === undefined || usesControllerConfig(next.locked)) return [];
    if (!usesControllerConfig(locked)) return [];
    return onReleases(journey, [placed], ({ rules, version }) =>
      rules.controllerConfigRef
        ? undefined
        : { rule: 'controller-config', locked, release: version },
    );
  });
}

function rejection(release: Target, { locked }: Stop, { refusal }: Journey): Cause | undefined {
  const { repository, version } = locked;
  const cause = { locked, release: release.version };
  if (!validPackageReference(joinReference(repository, version), release)) {
    return { rule: 'reference', ...cause };
  }
  if (!admitsRelease(locked, release)) return { rule: 'crossplane', ...cause };
  const reason = refusal?.(locked, release);
  return reason === undefined ? undefined : { rule: 'content', ...cause, reason };
}

/** Whether a release satisfies the Crossplane constraint of a package. */
function admitsRelease({ crossplane, object }: LockedPackage, release: Target): boolean {
  if (crossplane === undefined || object.spec['ignoreCrossplaneConstraints'] === true) return true;
  return satisfies(release.version, { form: 'range', text: crossplane }, release, 'named');
}

/** Returns states in which a requirement of a package is not satisfied. */
export function requirementConflicts(journey: Journey): readonly Conflict[] {
  const byRepository = new Map(journey.routes.map(({ repository }, at) => [repository, at]));
  return installedStops(journey).flatMap((placed) => {
    const by = placed.at;
    // Packages that skip dependency resolution need not satisfy their requirements.
    if (by.skips) return [];
    return by.locked.requirements.flatMap((requirement): readonly Conflict[] => {
      if (requirement.requires === 'crd') return apiConflicts(placed, requirement, journey);
      const route = byRepository.get(requirement.repository);
      if (route === placed.route) return [];
      const cause = missingRequirement(by, requirement.repository, requirement.constraint);
      if (route === undefined) return [{ positions: [placed], cause }];
      return journey.routes[route]!.stops.flatMap((on, stop) =>
        onReleases(journey, [placed, { route, stop }], (release) =>
          unmetBy(by, requirement, on, release),
        ),
      );
    });
  });
}

/** Compares like the package manager: digests as text, everything else as semver. */
function unmetBy(
  by: Stop,
  { repository, kind, constraint }: PackageRequirement,
  on: Stop | undefined,
  release: Target,
): Cause | undefined {
  // Packages that skip dependency resolution are not in the Lock, where requirements are looked up.
  if (on === undefined || on.skips) return missingRequirement(by, repository, constraint);
  const cause = { requirer: by.locked, required: on.locked, constraint };
  if (on.locked.kind !== kind) return { rule: 'kind', ...cause };
  const isKnownForm = !isDigest(constraint) || release.rules.digestDependencies;
  return isKnownForm && satisfies(on.locked.version, selectorOf(constraint), release, 'named')
    ? undefined
    : { rule: 'version', ...cause };
}

function missingRequirement(by: Stop, required: string, constraint: string): Cause {
  return { rule: 'missing', requirer: by.locked, required, constraint };
}

/** Returns states without a required API that some package on the journey owns. */
function apiConflicts(
  placed: PlacedStop,
  { demand, text }: CrdRequirement,
  { routes }: Journey,
): readonly Conflict[] {
  if (!('crd' in demand)) return [];
  const key = ownershipKey({ kind: 'CRD', name: demand.crd });
  const owns = (stop: Stop | undefined) =>
    stop?.locked.owns.some((owned) => ownershipKey(owned) === key) === true;
  const owners = routes.flatMap(({ stops }, route) => (stops.some(owns) ? [{ stops, route }] : []));
  if (owners.length === 0 || owns(placed.at)) return [];
  const combinationsWithout = owners.reduce<Position[][]>(
    (combinations, { stops, route }) =>
      stops.flatMap((at, stop) =>
        owns(at) ? [] : combinations.map((others) => [...others, { route, stop }]),
      ),
    [[placed]],
  );
  const cause = missingRequirement(placed.at, text, text);
  return combinationsWithout.map((positions) => ({ positions, cause }));
}

/** Returns one conflict for all releases if all have it, else one for each that has it. */
function onReleases(
  { releases }: Journey,
  positions: readonly Position[],
  causeOn: (release: Target) => Cause | undefined,
): readonly Conflict[] {
  const conflicts = releases.flatMap((release, stop): Conflict[] => {
    const cause = causeOn(release);
    const at = { route: CROSSPLANE, stop };
    return cause === undefined ? [] : [{ positions: [...positions, at], cause }];
  });
  if (conflicts.length < releases.length) return conflicts;
  return conflicts.slice(-1).map(({ cause }) => ({ positions, cause }));
}
