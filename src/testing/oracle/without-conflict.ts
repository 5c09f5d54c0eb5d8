import { candidates } from './exhaustive.js';
import { demandsIn, flaws, type SelectedVersions } from './flaws.js';
import type { TargetView } from './target-view.js';

/**
 * The answer, where it is found without a conflict: every package gets the version it prefers of
 * those that all who ask before its turn admit, and nothing speaks against it afterwards.
 * undefined: something does, or whose turn it is depends on who owns an API.
 */
export function unhindered(world: TargetView): SelectedVersions | undefined {
  const roots = world.roots();
  if (roots === undefined || roots.some((root) => 'api' in root)) return undefined;
  const selected = new Map<string, string>();
  const queue = demandsIn(world, selected, roots).map(({ repository }) => repository);
  for (const repository of queue) {
    if (selected.has(repository)) continue;
    const wants = demandsIn(world, selected, roots).filter((d) => d.repository === repository);
    const version = candidates(world, { selected, owners: [] }, repository).find(
      (candidate) =>
        !world.isExcluded(repository, candidate) &&
        wants.every(({ want }) => world.satisfies(repository, candidate, want)),
    );
    if (version === undefined) return undefined;
    selected.set(repository, version);
    queue.push(...world.demandsOf(repository, version).map((demand) => demand.repository));
  }
  return flaws(world, selected).length === 0 ? selected : undefined;
}
