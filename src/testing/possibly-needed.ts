import type { IndexFile } from '../model/index-file.js';
import type { JsonValue } from '../model/package.js';
import type { Request } from '../model/request.js';
import { reachable } from './flaws.js';

/**
 * Every repository that some choice of versions could lead to from the roots. With a root that
 * asks for an API everything is, for anyone might own it.
 */
export function possiblyNeeded({ packages }: IndexFile, request: Request): ReadonlySet<string> {
  if (request.roots.some(({ root }) => root === 'crd')) return new Set(Object.keys(packages));
  const replaced = (repository: string) =>
    request.replace.find((r) => r.repository === repository)?.with ?? repository;
  const named = (entries: readonly JsonValue[]) => entries.flatMap(repositoriesIn).map(replaced);
  const roots = request.roots.flatMap((root) =>
    root.root === 'package'
      ? [replaced(root.repository)]
      : root.root === 'local'
        ? named(root.dependsOn.map(({ entry }) => entry))
        : [],
  );
  return reachable(roots, (repository) =>
    Object.hasOwn(packages, repository)
      ? Object.values(packages[repository]!.versions).flatMap((v) => named(v.dependsOn ?? []))
      : [],
  );
}

function repositoriesIn(entry: JsonValue): string[] {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
  return Object.entries(entry).flatMap(([key, value]) =>
    ['provider', 'configuration', 'function', 'package'].includes(key) && typeof value === 'string'
      ? [value]
      : [],
  );
}
