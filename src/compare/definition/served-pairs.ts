import type { DocumentFinding } from '../document-finding.js';
import { compareSchemas } from '../schema/compare-schemas.js';
import type { ApiDefinition } from './api-definition.js';
import { byKubeVersion } from './kube-version.js';

/** Served versions that are held against each other: every pair of them is. */
const MAX_SERVED = 8;

/**
 * What served versions newly differ in where nothing converts between them: an object written in
 * one is then read, and stored, as if it had been written in the other.
 */
export function newlyDifferingVersions(
  old: ApiDefinition,
  fresh: ApiDefinition,
): DocumentFinding[] {
  if (fresh.conversion !== 'None') return [];
  const known = new Set(differencesIn(old).map(keyOf));
  return differencesIn(fresh).filter((found) => !known.has(keyOf(found)));
}

function keyOf({ version, path, rule, text }: DocumentFinding): string {
  return JSON.stringify([version, path, rule, text]);
}

function differencesIn({ versions }: ApiDefinition): DocumentFinding[] {
  const served = versions
    .filter((version) => version.served)
    .sort((a, b) => byKubeVersion(a.name, b.name))
    .slice(-MAX_SERVED);
  return served.flatMap((one, i) =>
    served
      .slice(i + 1)
      .flatMap((other) => compareSchemas(one.schema, other.schema, `${one.name} -> ${other.name}`)),
  );
}
