import { candidateVersions } from './exhaustive.js';
import { violationsOf, reachable, requirementsIn, type SelectedVersions } from './flaws.js';
import { objectsOf } from './reading.js';
import type { TargetView } from './target-view.js';
import { isMapping, type JsonValue } from '../../base/json.js';
import { type CrdRef, definesCrd } from '../../crossplane/packages/crd-ref.js';
import type { Request } from '../../project/inputs/request.js';
import type { IndexFile } from '../../sources/index/index-file.js';

// Independent of the solver on purpose.

/** Returns every repository that the roots depend on, in any version. */
export function reachableRepositories(
  { packages }: IndexFile,
  request: Request,
): ReadonlySet<string> {
  const replaced = (repository: string) =>
    request.replace.find((r) => r.repository === repository)?.with ?? repository;
  const named = (entries: readonly JsonValue[]) => entries.flatMap(repositoriesIn).map(replaced);
  const owners = (api: CrdRef) =>
    Object.keys(packages).filter((repository) =>
      Object.values(packages[repository]!.versions)
        .flatMap(objectsOf)
        .some((object) => definesCrd(object, api)),
    );
  const roots = request.roots.flatMap((root): readonly string[] => {
    switch (root.root) {
      case 'package':
        return [replaced(root.repository)];
      case 'local':
        return named(root.dependsOn.map(({ entry }) => entry));
      case 'crd':
        return owners(root.demand);
    }
  });
  return reachable(roots, (repository) =>
    Object.hasOwn(packages, repository)
      ? Object.values(packages[repository]!.versions).flatMap((v) => named(v.dependsOn ?? []))
      : [],
  );
}

function repositoriesIn(entry: JsonValue): string[] {
  if (!isMapping(entry)) return [];
  return Object.entries(entry).flatMap(([key, value]) =>
    ['provider', 'configuration', 'function', 'package'].includes(key) && typeof value === 'string'
      ? [value]
      : [],
  );
}

/**
 * Returns the answer if it needs no backtracking: every package gets the most preferred version
 * that meets the requirements known so far, and no later requirement conflicts with it.
 *
 * Returns undefined otherwise, and if the order of decisions depends on the owner of an API.
 */
export function answerWithoutBacktracking(view: TargetView): SelectedVersions | undefined {
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
  return violationsOf(view, selected).length === 0 ? selected : undefined;
}
