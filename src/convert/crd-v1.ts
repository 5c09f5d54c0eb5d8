import { listOf, mappingOf, type JsonObject, type JsonValue } from '../text/json.js';

const V1 = 'apiextensions.k8s.io/v1';

/** A schema that v1beta1 takes for granted where there is none. */
const ANYTHING = { 'x-kubernetes-preserve-unknown-fields': true };

/**
 * A CRD in the API version that clusters serve today, with labels and annotations as all of its
 * metadata. What v1beta1 says once for all versions, v1 says of each.
 */
export function crdV1(crd: JsonObject): JsonObject {
  const metadata = mappingOf(crd['metadata']) ?? {};
  const spec = mappingOf(crd['spec']) ?? {};
  return {
    apiVersion: V1,
    kind: 'CustomResourceDefinition',
    metadata: only(metadata, ['name', 'labels', 'annotations']),
    spec: crd['apiVersion'] === V1 ? spec : specV1(spec),
  };
}

function specV1(spec: JsonObject): JsonObject {
  const { conversion } = spec;
  const written = listOf(spec['versions']);
  const versions = written ?? [{ name: spec['version'] ?? '', served: true, storage: true }];
  return {
    ...only(spec, ['group', 'names']),
    scope: spec['scope'] ?? 'Namespaced',
    ...(conversion !== undefined && { conversion: conversionV1(mappingOf(conversion) ?? {}) }),
    versions: versions.map((version) => versionV1(mappingOf(version) ?? {}, spec)),
  };
}

function versionV1(version: JsonObject, spec: JsonObject): JsonObject {
  const said = (field: string) => version[field] ?? spec[field];
  const columns = listOf(said('additionalPrinterColumns'));
  const subresources = said('subresources');
  return {
    ...only(version, ['name', 'served', 'storage']),
    schema: { openAPIV3Schema: schemaV1(version['schema'] ?? spec['validation'], spec) },
    ...(subresources !== undefined && { subresources }),
    ...(columns !== undefined && { additionalPrinterColumns: columns.map(columnV1) }),
  };
}

/** v1beta1 keeps fields that the schema does not name, unless told otherwise; v1 drops them. */
function schemaV1(validation: JsonValue | undefined, spec: JsonObject): JsonObject {
  const schema = mappingOf(mappingOf(validation)?.['openAPIV3Schema']) ?? {};
  const isKept = spec['preserveUnknownFields'] !== false;
  return { type: 'object', ...schema, ...(isKept && ANYTHING) };
}

function columnV1(written: JsonValue): JsonValue {
  const column = mappingOf(written);
  if (column === undefined) return written;
  const { JSONPath: jsonPath = column['jsonPath'] ?? '', ...rest } = column;
  return { ...rest, jsonPath };
}

function conversionV1({
  strategy = 'None',
  webhookClientConfig: clientConfig,
  conversionReviewVersions = ['v1beta1'],
}: JsonObject): JsonObject {
  if (clientConfig === undefined) return { strategy };
  return { strategy, webhook: { clientConfig, conversionReviewVersions } };
}

function only(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key) => (object[key] === undefined ? [] : [[key, object[key]]])),
  );
}
