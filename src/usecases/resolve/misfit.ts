import { ownershipKey, type OwnedObject } from '../../model/owned-object.js';
import type { Repository } from '../../model/package.js';
import type { PackageMeta, PackageRequirement } from '../../model/package-meta.js';
import { selectorOf } from '../../model/selector.js';
import type { Target } from '../../model/target/target.js';
import { effectiveRepository } from '../../solver/effective.js';
import type { Problem } from '../../solver/problem.js';
import { meetsSelector } from './meets-selector.js';

/** What a version says of itself, whether it was read or locked. */
type Said = Pick<PackageMeta, 'crossplane' | 'requirements' | 'owns'>;

interface Installed extends Pick<PackageMeta, 'owns'> {
  readonly repository: Repository;
  readonly version: string;
}

/** Why a version does not go with the release, or with another package. */
type Misfit<Other extends Installed> =
  | { readonly because: 'crossplane'; readonly constraint: string }
  | { readonly because: 'owns'; readonly other: Other; readonly object: OwnedObject }
  | {
      readonly because: 'requires';
      readonly other: Other;
      readonly requirement: PackageRequirement;
    };

/**
 * The first thing that a version of `repository` does not get along with among what is installed
 * beside it; undefined: nothing, as far as the version itself says.
 */
export function misfitOf<Other extends Installed>(
  { repository, said }: { readonly repository: Repository; readonly said: Said },
  others: readonly Other[],
  { problem, target }: { readonly problem: Problem; readonly target: Target },
): Misfit<Other> | undefined {
  const { crossplane: constraint } = said;
  if (constraint !== undefined && !problem.anyCrossplane.has(repository)) {
    const fits = meetsSelector(target.version, selectorOf(constraint), target, 'named');
    if (!fits) return { because: 'crossplane', constraint };
  }
  const owned = new Set(said.owns.map(ownershipKey));
  for (const other of others) {
    const object = other.owns.find((each) => owned.has(ownershipKey(each)));
    if (object !== undefined) return { because: 'owns', other, object };
  }
  for (const requirement of said.requirements) {
    if (requirement.requires !== 'package') continue;
    const on = effectiveRepository(problem, requirement.repository);
    const other = others.find((each) => each.repository === on);
    if (other === undefined || problem.overrides.has(on)) continue;
    if (meetsSelector(other.version, selectorOf(requirement.constraint), target, 'all')) continue;
    return { because: 'requires', other, requirement };
  }
  return undefined;
}
