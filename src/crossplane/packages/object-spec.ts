import { byCodePoint } from '../../base/collections.js';
import { isList, isMapping, type JsonObject, type JsonValue } from '../../base/json.js';

/** Values that an API server sets for missing fields of `spec`. */
const API_DEFAULTS: JsonObject = {
  ignoreCrossplaneConstraints: false,
  packagePullPolicy: 'IfNotPresent',
  revisionActivationPolicy: 'Automatic',
  revisionHistoryLimit: 1,
  runtimeConfigRef: { name: 'default' },
  skipDependencyResolution: false,
};

const RUNTIME_CONFIG_DEFAULTS: JsonObject = {
  apiVersion: 'pkg.crossplane.io/v1beta1',
  kind: 'DeploymentRuntimeConfig',
};

/** Returns the spec of a package object without fields that have their default value, with sorted keys. */
export function plainSpec(spec: JsonObject): JsonObject {
  const { runtimeConfigRef } = spec;
  const own = isMapping(runtimeConfigRef)
    ? { ...spec, runtimeConfigRef: withoutDefaults(runtimeConfigRef, RUNTIME_CONFIG_DEFAULTS) }
    : spec;
  return canonical(withoutDefaults(own, API_DEFAULTS));
}

function withoutDefaults(fields: JsonObject, defaults: JsonObject): JsonObject {
  const isDefault = (field: string) => textOf(fields[field]) === textOf(defaults[field]);
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !isDefault(field)));
}

/** Returns equal texts for values that differ only in the order of keys. */
function textOf(value: JsonValue = null): string {
  return JSON.stringify(canonicalValue(value));
}

/** Keys that come first in a manifest by convention. */
const LEADING = ['apiVersion', 'kind', 'metadata', 'name', 'package', 'spec'];

/** Sorts the keys of every mapping. */
export function canonical(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => keyRank(a) - keyRank(b) || byCodePoint(a, b))
      .map(([key, member]) => [key, canonicalValue(member)]),
  );
}

function canonicalValue(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(canonicalValue);
  return isMapping(value) ? canonical(value) : value;
}

function keyRank(key: string): number {
  const place = LEADING.indexOf(key);
  return place < 0 ? LEADING.length : place;
}
