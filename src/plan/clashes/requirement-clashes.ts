import type { PackageRequirement, Requirement } from '../../model/package-meta.js';
import { ownershipKey } from '../../model/owned-object.js';
import type { Target } from '../../model/target/target.js';
import { parseConstraint } from '../../semver/constraint.js';
import { parseVersion } from '../../semver/version.js';
import { isDigest } from '../../text/digest.js';
import type { Cause, Clash, Position } from '../clash.js';
import type { Journey, Stop } from '../journey.js';
import { onReleases } from './on-releases.js';

/** Where a package would be without what it requires, or with a version that it does not admit. */
export function requirementClashes(journey: Journey): readonly Clash[] {
  const byRepository = new Map(journey.routes.map(({ repository }, at) => [repository, at]));
  return journey.routes.flatMap(({ repository, stops }, route) =>
    stops.flatMap((by, stop) => {
      // What skips is not held to its requirements.
      if (by === undefined || by.skips) return [];
      return by.locked.requirements.flatMap((requirement): readonly Clash[] => {
        const position = { route, stop };
        if (requirement.requires === 'crd') return apiClashes(by, requirement, position, journey);
        if (requirement.repository === repository) return [];
        const on = byRepository.get(requirement.repository);
        const cause = missing(by, requirement.repository, requirement.constraint);
        if (on === undefined) return [{ positions: [position], cause }];
        return journey.routes[on]!.stops.flatMap((at, place) =>
          onReleases(journey, [position, { route: on, stop: place }], (release) =>
            unmet(by, requirement, at, release),
          ),
        );
      });
    }),
  );
}

/** As the package manager compares them: digests as text, all else as semver. */
function unmet(
  by: Stop,
  { repository, kind, constraint }: PackageRequirement,
  on: Stop | undefined,
  { rules }: Target,
): Cause | undefined {
  // What skips is not in the Lock, where its dependents look for it.
  if (on === undefined || on.skips) return missing(by, repository, constraint);
  const cause = { requirer: by.locked, required: on.locked, constraint };
  if (on.locked.kind !== kind) return { rule: 'kind', ...cause };
  const { version } = on.locked;
  if (rules.digestDependencies && isDigest(constraint)) {
    return version === constraint ? undefined : { rule: 'version', ...cause };
  }
  const range = parseConstraint(constraint, rules.dialect);
  const installed = parseVersion(version, rules.dialect);
  const fits = !range.invalid && installed !== undefined && range.admits(installed);
  return fits ? undefined : { rule: 'version', ...cause };
}

function missing(by: Stop, required: string, constraint: string): Cause {
  return { rule: 'missing', requirer: by.locked, required, constraint };
}

/** An API that is required by name, while every package that has it at some time does not. */
function apiClashes(
  by: Stop,
  { demand, text }: Extract<Requirement, { requires: 'crd' }>,
  position: Position,
  { routes }: Journey,
): readonly Clash[] {
  if (!('crd' in demand)) return [];
  const key = ownershipKey({ kind: 'CRD', name: demand.crd });
  const owns = (stop: Stop | undefined) =>
    stop?.locked.owns.some((owned) => ownershipKey(owned) === key) === true;
  const owners = routes.flatMap(({ stops }, route) => (stops.some(owns) ? [{ stops, route }] : []));
  if (owners.length === 0 || owns(by)) return [];
  const without = owners.reduce<Position[][]>(
    (combinations, { stops, route }) =>
      stops.flatMap((at, stop) =>
        owns(at) ? [] : combinations.map((others) => [...others, { route, stop }]),
      ),
    [[position]],
  );
  return without.map((positions) => ({ positions, cause: missing(by, text, text) }));
}
