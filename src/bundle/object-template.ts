import type { ObjectTemplate } from '../lock/lockfile.js';
import type { PackageKind } from '../model/package.js';
import { isMapping, mappingOf, type JsonObject, type JsonValue } from '../text/json.js';
import { canonical } from './canonical.js';
import { takesField } from './spec-fields.js';

/** What the user said about the object of one package, from the most general to the closest. */
interface TemplateParts {
  readonly kind: PackageKind;
  /** For every package of the set. */
  readonly defaults: JsonObject;
  /** Of the entry in a PackageSet. */
  readonly spec: JsonObject;
  /** The input object, where there was one. */
  readonly object: JsonObject | undefined;
}

/**
 * What the rendered object keeps of it. Each part is laid over the one before as a JSON merge patch
 * (RFC 7386): mappings are merged, lists replaced, null takes a field away.
 */
export function objectTemplate({ kind, defaults, spec, object }: TemplateParts): ObjectTemplate {
  const own = object?.['spec'];
  // Defaults are written once for all kinds: what this kind does not have was not meant for it.
  const general = Object.entries(defaults).filter(([field]) => takesField(kind, field));
  const parts = [Object.fromEntries(general), spec, mappingOf(own) ?? {}];
  const apiVersion = object?.['apiVersion'];
  const metadata = object?.['metadata'];
  return {
    apiVersion: typeof apiVersion === 'string' ? apiVersion : undefined,
    metadata: canonical(ownMetadata(mappingOf(metadata) ?? {})),
    spec: canonical(without(parts.reduce(merge, {}), ['package'])),
  };
}

/** An object the user gave, as it can be applied to another cluster than it was dumped from. */
export function withoutClusterState(object: JsonObject): JsonObject {
  const { metadata } = object;
  return canonical({
    ...without(object, ['status']),
    ...(isMapping(metadata) && { metadata: ownMetadata(metadata, ['name']) }),
  });
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The part of an object's metadata that is the user's on every cluster: labels and annotations.
 *
 * All else is true of one cluster only. An owner reference above all: where its owner is not, the
 * object is collected as garbage; a finalizer that no controller there removes keeps it forever.
 */
export function ownMetadata(metadata: JsonObject, beside: readonly string[] = []): JsonObject {
  const own = only(metadata, ['labels', 'annotations', ...beside]);
  const { annotations } = own;
  if (!isMapping(annotations)) return own;
  const kept = without(annotations, [LAST_APPLIED]);
  return Object.keys(kept).length === 0
    ? without(own, ['annotations'])
    : { ...own, annotations: kept };
}

function only(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)));
}

function without(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

function merge(base: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map<string, JsonValue>(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    const under = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isMapping(value)) merged.set(key, merge(mappingOf(under) ?? {}, value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}
