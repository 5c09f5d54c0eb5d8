import type { JsonObject, JsonValue } from '../model/package.js';
import { isObject } from './document.js';

const SERVER_METADATA = new Set([
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generation',
  'managedFields',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
]);
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** An object as its author wrote it: without what `kubectl get` shows of the cluster it is in. */
export function asWritten(object: JsonObject): JsonObject {
  return mapEntries(object, (key, value) => {
    if (key === 'status') return undefined;
    return key === 'metadata' && isObject(value) ? ownMetadata(value) : value;
  });
}

function ownMetadata(metadata: JsonObject): JsonObject {
  return mapEntries(metadata, (key, value) => {
    if (SERVER_METADATA.has(key)) return undefined;
    return key === 'annotations' && isObject(value) ? ownAnnotations(value) : value;
  });
}

function ownAnnotations(annotations: JsonObject): JsonObject | undefined {
  const own = mapEntries(annotations, (key, value) => (key === LAST_APPLIED ? undefined : value));
  return Object.keys(own).length === 0 ? undefined : own;
}

/** undefined drops the entry. */
function mapEntries(
  object: JsonObject,
  map: (key: string, value: JsonValue) => JsonValue | undefined,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => {
      const mapped = map(key, value);
      return mapped === undefined ? [] : [[key, mapped] as const];
    }),
  );
}
