import {
  type Cause,
  type Conflict,
  CROSSPLANE,
  type Journey,
  type Position,
  type Stop,
} from './journey.js';
import { getOrCreate } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { selectorOf } from '../../crossplane/constraints/constraint.js';
import { satisfies } from '../../crossplane/constraints/installable-versions.js';
import { type OwnedObject, ownershipKey } from '../../crossplane/packages/owned-objects.js';
import type { PackageRequirement, Requirement } from '../../crossplane/packages/package-meta.js';
import { joinReference, validPackageReference } from '../../crossplane/packages/reference.js';
import type { Target } from '../../crossplane/releases/target.js';
import { type LockedPackage, usesControllerConfig } from '../../project/lockfile/lockfile.js';

/** An object that a package owns at a stop. */
interface OwnedAtStop extends Position {
  readonly at: Stop;
  readonly owned: OwnedObject;
}

/** Returns states with two owners of an object, or without one before its new owner comes. */
export function ownershipConflicts(journey: Journey): readonly Conflict[] {
  const pairs = new Map<string, { from: OwnedAtStop; to: OwnedAtStop; objects: OwnedObject[] }>();
  for (const owners of ownersByKey(journey).values()) {
    for (const one of owners) {
      for (const other of owners) {
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

function ownersByKey({ routes }: Journey): ReadonlyMap<string, readonly OwnedAtStop[]> {
  const owners = new Map<string, OwnedAtStop[]>();
  for (const [route, { stops }] of routes.entries()) {
    for (const [stop, at] of stops.entries()) {
      for (const owned of at?.locked.owns ?? []) {
        getOrCreate(owners, ownershipKey(owned), () => []).push({ route, stop, at: at!, owned });
      }
    }
  }
  return owners;
}

function installs({ locked }: Stop, { rules }: Target): boolean {
  return locked.kind !== 'Function' || rules.functionObjectsInstalled;
}

/** Returns states in which a removed package deletes objects that no other package owns yet. */
function prematureDeletions(
  { routes }: Journey,
  from: OwnedAtStop,
  to: OwnedAtStop,
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
  return journey.routes.flatMap(({ stops }, route) =>
    stops.flatMap((at, stop) =>
      at === undefined
        ? []
        : onReleases(journey, [{ route, stop }], (release) => rejection(release, at, journey)),
    ),
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
  return routes.flatMap(({ stops }, route) =>
    stops.flatMap((at, stop) => {
      const next = stops[stop + 1];
      if (at === undefined || next === undefined) return [];
      if (!usesControllerConfig(at.locked) || usesControllerConfig(next.locked)) return [];
      return onReleases(journey, [{ route, stop }], ({ rules, version }) =>
        rules.controllerConfigRef
          ? undefined
          : { rule: 'controller-config', locked: at.locked, release: version },
      );
    }),
  );
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
  return journey.routes.flatMap(({ repository, stops }, route) =>
    stops.flatMap((by, stop) => {
      // Packages that skip dependency resolution need not satisfy their requirements.
      if (by === undefined || by.skips) return [];
      return by.locked.requirements.flatMap((requirement): readonly Conflict[] => {
        const position = { route, stop };
        if (requirement.requires === 'crd') return apiConflicts(by, requirement, position, journey);
        if (requirement.repository === repository) return [];
        const on = byRepository.get(requirement.repository);
        const cause = missingRequirement(by, requirement.repository, requirement.constraint);
        if (on === undefined) return [{ positions: [position], cause }];
        return journey.routes[on]!.stops.flatMap((at, place) =>
          onReleases(journey, [position, { route: on, stop: place }], (release) =>
            unmetBy(by, requirement, at, release),
          ),
        );
      });
    }),
  );
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
  const isUnknownForm = isDigest(constraint) && !release.rules.digestDependencies;
  const isSatisfied =
    !isUnknownForm && satisfies(on.locked.version, selectorOf(constraint), release, 'named');
  return isSatisfied ? undefined : { rule: 'version', ...cause };
}

function missingRequirement(by: Stop, required: string, constraint: string): Cause {
  return { rule: 'missing', requirer: by.locked, required, constraint };
}

/** Returns states without a required API that some package on the journey owns. */
function apiConflicts(
  by: Stop,
  { demand, text }: Extract<Requirement, { requires: 'crd' }>,
  position: Position,
  { routes }: Journey,
): readonly Conflict[] {
  if (!('crd' in demand)) return [];
  const key = ownershipKey({ kind: 'CRD', name: demand.crd });
  const owns = (stop: Stop | undefined) =>
    stop?.locked.owns.some((owned) => ownershipKey(owned) === key) === true;
  const owners = routes.flatMap(({ stops }, route) => (stops.some(owns) ? [{ stops, route }] : []));
  if (owners.length === 0 || owns(by)) return [];
  const combinationsWithout = owners.reduce<Position[][]>(
    (combinations, { stops, route }) =>
      stops.flatMap((at, stop) =>
        owns(at) ? [] : combinations.map((others) => [...others, { route, stop }]),
      ),
    [[position]],
  );
  return combinationsWithout.map((positions) => ({
    positions,
    cause: missingRequirement(by, text, text),
  }));
}

/** Returns one conflict for all releases if all have it, else one for each that has it. */
function onReleases(
  { releases }: Journey,
  positions: readonly Position[],
  causeOn: (release: Target) => Cause | undefined,
): readonly Conflict[] {
  const clashes = releases.flatMap((release, stop): Conflict[] => {
    const cause = causeOn(release);
    const at = { route: CROSSPLANE, stop };
    return cause === undefined ? [] : [{ positions: [...positions, at], cause }];
  });
  if (clashes.length < releases.length) return clashes;
  return clashes.slice(-1).map(({ cause }) => ({ positions, cause }));
}
