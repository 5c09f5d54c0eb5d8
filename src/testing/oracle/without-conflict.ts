// Independent of solver/ on purpose: it tells which versions a search has to read at all.
import { candidateVersions } from './exhaustive.js';
import { requirementsIn, flaws, type SelectedVersions } from './flaws.js';
import type { TargetView } from './target-view.js';

/**
 * The answer, where it is found without taking a decision back: every package gets the most
 * preferred version that meets the requirements known at its turn, and no later one is broken.
 * undefined: one is, or the order of decisions depends on who owns an API.
 */
export function withoutConflict(view: TargetView): SelectedVersions | undefined {
  const roots = view.roots();
  if (roots === undefined || roots.some((root) => 'api' in root)) return undefined;
  const selected = new Map<string, string>();
  const queue = requirementsIn(view, selected, roots).map(({ repository }) => repository);
  for (const repository of queue) {
    if (selected.has(repository)) continue;
    const requirements = requirementsIn(view, selected, roots).filter(
      (r) => r.repository === repository,
    );
    const version = candidateVersions(view, { selected, owners: [] }, repository).find(
      (candidate) =>
        !view.isExcluded(repository, candidate) &&
        !view.isForbidden(repository, candidate) &&
        requirements.every(({ selector }) => view.satisfies(repository, candidate, selector)),
    );
    if (version === undefined) return undefined;
    selected.set(repository, version);
    queue.push(...view.requirementsOf(repository, version).map((r) => r.repository));
  }
  return flaws(view, selected).length === 0 ? selected : undefined;
}
