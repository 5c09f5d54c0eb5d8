// Independent of solver/ on purpose: it tells which repositories a search may ask about.
import { meetsDemand, type CrdDemand } from '../../model/crd-demand.js';
import type { IndexFile } from '../../model/index-file.js';
import { isMapping, type JsonValue } from '../../text/json.js';
import type { Request } from '../../model/request.js';
import { reachable } from './flaws.js';
import { objectsOf } from './reading.js';

/** Every repository that dependencies lead to from the roots, whichever versions are selected. */
export function possiblyNeeded({ packages }: IndexFile, request: Request): ReadonlySet<string> {
  const replaced = (repository: string) =>
    request.replace.find((r) => r.repository === repository)?.with ?? repository;
  const named = (entries: readonly JsonValue[]) => entries.flatMap(repositoriesIn).map(replaced);
  const owners = (api: CrdDemand) =>
    Object.keys(packages).filter((repository) =>
      Object.values(packages[repository]!.versions)
        .flatMap(objectsOf)
        .some((object) => meetsDemand(object, api)),
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
