import { formatOrigin } from '../../../model/input-error.js';
import { reachesFurther } from '../../../semver/reaches-further.js';
import { parseVersion } from '../../../semver/version.js';
import { effectiveRepository } from '../../../solver/effective.js';
import type { Problem } from '../../../solver/problem.js';
import type { Selected } from '../../../solver/search-result.js';

/** A warning for each version that the user's own range admits on this Crossplane and on newer ones does not. */
export function farReaching(selected: readonly Selected[], problem: Problem): string[] {
  const versions = new Map(selected.map(({ repository, version }) => [repository, version]));
  return problem.roots.flatMap((root) => {
    if (root.requires !== 'package' || root.selector.form !== 'range') return [];
    const repository = effectiveRepository(problem, root.repository);
    const version = parseVersion(versions.get(repository) ?? '', problem.dialect);
    if (version === undefined || problem.overrides.has(repository)) return [];
    const why = reachesFurther(root.selector.text, version, problem.dialect);
    if (why === undefined) return [];
    return [`${repository} ${version.raw} (${formatOrigin(root.origin)}): ${why}`];
  });
}
