import { isMapping, type JsonObject, type JsonValue } from '../text/json.js';
import { canonical } from './canonical.js';

/** What an API server writes into `spec` where the user said nothing. */
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

/** The spec of a package object without the fields that an API server would add by itself. */
export function withoutApiDefaults(spec: JsonObject): JsonObject {
  const told = Object.keys(plainSpec(spec));
  return Object.fromEntries(Object.entries(spec).filter(([field]) => told.includes(field)));
}

/** As `withoutApiDefaults`, within fields, too, and equal wherever the same is meant. */
export function plainSpec(spec: JsonObject): JsonObject {
  const { runtimeConfigRef } = spec;
  const own = isMapping(runtimeConfigRef)
    ? { ...spec, runtimeConfigRef: without(runtimeConfigRef, RUNTIME_CONFIG_DEFAULTS) }
    : spec;
  return canonical(without(own, API_DEFAULTS));
}

function without(fields: JsonObject, defaults: JsonObject): JsonObject {
  const told = Object.entries(fields).filter(
    ([field, value]) => !isSame(value, defaults[field] ?? null),
  );
  return Object.fromEntries(told);
}

function isSame(value: JsonValue, other: JsonValue): boolean {
  return JSON.stringify(canonical({ value })) === JSON.stringify(canonical({ value: other }));
}
