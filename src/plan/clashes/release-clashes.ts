import { joinReference, validPackageReference } from '../../model/reference.js';
import type { Target } from '../../model/target/target.js';
import { parseConstraint } from '../../semver/constraint.js';
import { parseVersion } from '../../semver/version.js';
import type { Cause, Clash } from '../clash.js';
import type { Journey, Stop } from '../journey.js';
import { onReleases } from './on-releases.js';

/** Which releases of Crossplane do not take a package where it is on its route. */
export function releaseClashes(journey: Journey): readonly Clash[] {
  return journey.routes.flatMap(({ stops }, route) =>
    stops.flatMap((at, stop) =>
      at === undefined
        ? []
        : onReleases(journey, [{ route, stop }], (release) => refusedBy(release, at)),
    ),
  );
}

function refusedBy(release: Target, { locked }: Stop): Cause | undefined {
  const { repository, version } = locked;
  const cause = { locked, release: release.version };
  if (!validPackageReference(joinReference(repository, version), release)) {
    return { rule: 'reference', ...cause };
  }
  const ignores = locked.object.spec['ignoreCrossplaneConstraints'] === true;
  if (locked.crossplane === undefined || ignores) return undefined;
  const range = parseConstraint(locked.crossplane, release.rules.dialect);
  const running = parseVersion(release.version, release.rules.dialect);
  const fits = !range.invalid && running !== undefined && range.admits(running);
  return fits ? undefined : { rule: 'crossplane', ...cause };
}
