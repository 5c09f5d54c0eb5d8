import type { JsonObject, JsonValue } from '../text/json.js';
import type { Requirement } from '../model/package-meta.js';

/** A requirement as the dependsOn entry that a package.yaml has for it. */
export function dependsOnEntry(requirement: Requirement): JsonObject {
  if (requirement.requires === 'crd') return { crd: crdAsWritten(requirement.text) };
  const { apiVersion, kind, repository, constraint } = requirement;
  return apiVersion === undefined
    ? { [kind.toLowerCase()]: repository, version: constraint }
    : { apiVersion, kind, package: repository, version: constraint };
}

/** A mapping is kept as its JSON, which no name of a CRD begins like. */
function crdAsWritten(text: string): JsonValue {
  return text.startsWith('{') ? (JSON.parse(text) as JsonValue) : text; // JSON is what was kept
}
