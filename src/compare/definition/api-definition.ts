import { listOf, mappingOf, stringOf, type JsonObject, type JsonValue } from '../../text/json.js';
import type { Path } from '../../text/yaml/path.js';
import { schemaIn, type PlacedSchema } from '../schema/compare-schemas.js';

/** What a CRD, XRD or MRD adds to the API, as far as a change of it matters to objects. */
export interface ApiDefinition {
  readonly spec: JsonObject;
  readonly scope: string;
  /** `None` or `Webhook`. */
  readonly conversion: string;
  readonly versions: readonly ApiVersion[];
}

export interface ApiVersion {
  readonly name: string;
  readonly served: boolean;
  /** Objects are stored in this version. */
  readonly stored: boolean;
  readonly written: JsonObject;
  readonly schema: PlacedSchema;
  readonly at: Path;
}

/** Reads the definition off the document of a CRD, XRD or MRD. */
export function apiDefinition(document: JsonValue): ApiDefinition {
  const root = mappingOf(document) ?? {};
  const spec = mappingOf(root['spec']) ?? {};
  const listed = (listOf(spec['versions']) ?? []).map((version) => mappingOf(version) ?? {});
  // Before v1 a CRD could have one schema for all versions, and one version without a list.
  const shared = mappingOf(spec['validation']) && { schema: spec['validation']! };
  const single = stringOf(spec['version']);
  const versions = listed.map((written, i) => apiVersion({ ...shared, ...written }, i, written));
  return {
    spec,
    scope: stringOf(spec['scope']) ?? defaultScope(root),
    conversion: stringOf(mappingOf(spec['conversion'])?.['strategy']) ?? 'None',
    versions:
      versions.length > 0 || single === undefined
        ? versions
        : [apiVersion({ ...shared, name: single, served: true, storage: true }, 0, {})],
  };
}

function apiVersion(version: JsonObject, index: number, written: JsonObject): ApiVersion {
  const own = written['schema'] !== undefined || version['schema'] === undefined;
  const at = own ? ['spec', 'versions', index] : ['spec'];
  const { schema, at: place } = schemaIn(version, at);
  return {
    name: stringOf(version['name']) ?? '',
    served: version['served'] === true,
    stored: version['storage'] === true || version['referenceable'] === true,
    written: version,
    schema: { schema, at: own ? place : ['spec', 'validation', 'openAPIV3Schema'] },
    at,
  };
}

/** A CRD says its scope. An XRD need not: its API version says which is meant. */
function defaultScope({ apiVersion, kind }: JsonObject): string {
  if (kind !== 'CompositeResourceDefinition') return '';
  return apiVersion === 'apiextensions.crossplane.io/v2' ? 'Namespaced' : 'LegacyCluster';
}
