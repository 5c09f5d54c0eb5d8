import type { LockRow } from '../../lock/lock-row.js';
import type { Repository } from '../../model/package.js';
import type { Target } from '../../model/target/target.js';
import type { ImpliedDependency } from './dependency-graph.js';
import { fits } from './fits.js';

// What a resolver that may move packages makes of rows.

/** What fits none of its dependents is as good as absent. */
export function withoutOutdated(rows: readonly LockRow[], target: Target): readonly LockRow[] {
  return rows.filter(({ source, version }) => {
    const constraints = constraintsOn(source, rows);
    return constraints.length === 0 || constraints.some((each) => fits(version, each, target));
  });
}

export function constraintsOn(source: Repository, rows: readonly LockRow[]): readonly string[] {
  return rows.flatMap(({ dependencies }) =>
    dependencies.flatMap(({ repository, constraint }) =>
      repository === source ? [constraint] : [],
    ),
  );
}

/**
 * Dependencies that have no row, or one that does not fit, in the order of rows. To later edges, the
 * constraint of the first stands for the version of what has no row.
 */
export function outdatedOrMissing(rows: readonly LockRow[], target: Target): ImpliedDependency[] {
  const versions = new Map(rows.map(({ source, version }) => [source, version]));
  const implied: ImpliedDependency[] = [];
  for (const by of rows) {
    for (const dependency of by.dependencies) {
      const { repository, constraint } = dependency;
      const installed = versions.get(repository);
      if (installed === undefined) versions.set(repository, constraint);
      else if (installed === constraint || fits(installed, constraint, target)) continue;
      implied.push({ dependency, by });
    }
  }
  return implied;
}
