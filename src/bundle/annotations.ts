import { byCodePoint } from '../text/code-point-order.js';
import { mappingOf, type JsonObject } from '../text/json.js';

/** `metadata.annotations`; empty where there are none. */
export function annotationsOf(object: JsonObject): JsonObject {
  return mappingOf(mappingOf(object['metadata'])?.['annotations']) ?? {};
}

/** The object with these annotations, beside its others, in the order of their keys. */
export function annotated(object: JsonObject, annotations: JsonObject): JsonObject {
  const metadata = mappingOf(object['metadata']) ?? {};
  const all = Object.entries({ ...annotationsOf(object), ...annotations });
  const sorted = Object.fromEntries(all.sort(([a], [b]) => byCodePoint(a, b)));
  return { ...object, metadata: { ...metadata, annotations: sorted } };
}
