import { InputError, type Origin } from '../../base/errors.js';
import { mappingOf, type JsonObject, stringOf } from '../../base/json.js';
import type { PackageKind } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';
import { labelOf } from './object-names.js';
import { hasSpecField, withoutClusterState } from './object-template.js';

export interface AdaptedManifest {
  /** The manifest without unsupported parts; undefined if no part is left. */
  readonly object: JsonObject | undefined;
  readonly warnings: readonly string[];
}

const ACTIVATION_POLICY = 'ManagedResourceActivationPolicy';
const CONTROLLER_CONFIG = 'ControllerConfig';

function servedAs(kind: unknown): string {
  if (kind === ACTIVATION_POLICY) return 'apiextensions.crossplane.io/v1alpha1';
  return kind === CONTROLLER_CONFIG ? 'pkg.crossplane.io/v1alpha1' : 'pkg.crossplane.io/v1beta1';
}

/** Returns whether the release serves the kind. True for ImageConfigs, which are optional. */
export function servesKind({ rules }: Target, { kind }: JsonObject): boolean {
  if (kind === CONTROLLER_CONFIG) return rules.controllerConfigRef;
  if (kind !== ACTIVATION_POLICY) return true;
  return rules.objectKinds[servedAs(kind)]?.includes(ACTIVATION_POLICY) === true;
}

/**
 * Adapts an ImageConfig, runtime config or activation policy to the target.
 *
 * Parts of an ImageConfig that the target does not know are left out with a warning. Throws an
 * `InputError` for other kinds that the target does not have: without the object, packages would
 * run with other settings.
 */
export function adaptToTarget(given: JsonObject, target: Target): AdaptedManifest {
  const object = withoutClusterState(given);
  const label = labelOf(object);
  const served = servedAs(object['kind']);
  if (object['apiVersion'] !== served) {
    throw new InputError(`${label}: \`apiVersion\` must be \`${served}\``);
  }
  checkKindIsServed(object, target);
  if (object['kind'] !== 'ImageConfig') return { object, warnings: [] };
  const { imageConfig } = target.rules;
  if (imageConfig === undefined) {
    const why = `Crossplane ${target.version} has no ImageConfig`;
    return { object: undefined, warnings: [`${label} is left out: ${why}`] };
  }
  const unknown = [
    ...(imageConfig.verification ? [] : ['verification']),
    ...(imageConfig.rewrite ? [] : ['rewriteImage']),
    ...(imageConfig.runtime ? [] : ['runtime']),
  ];
  const spec = mappingOf(object['spec']) ?? {};
  const dropped = Object.keys(spec).filter((field) => unknown.includes(field));
  const warnings = dropped.map((field) => {
    return `${label}: \`spec.${field}\` is left out: Crossplane ${target.version} does not know it`;
  });
  if (dropped.length === 0) return { object, warnings };
  const remaining = Object.entries(spec).filter(([field]) => !dropped.includes(field));
  const isEmpty = remaining.every(([field]) => field === 'matchImages');
  return {
    object: isEmpty ? undefined : { ...object, spec: Object.fromEntries(remaining) },
    warnings,
  };
}

/** Throws an `InputError` if the target does not have the kind of an extra manifest. */
export function checkKindIsServed(object: JsonObject, target: Target, origin?: Origin): void {
  if (servesKind(target, object)) return;
  const kind = object['kind'] === CONTROLLER_CONFIG ? CONTROLLER_CONFIG : ACTIVATION_POLICY;
  const [when, instead] =
    kind === CONTROLLER_CONFIG
      ? ['was removed in v2.0', 'use a DeploymentRuntimeConfig and `runtimeConfigRef`']
      : ['came with v2.0', 'leave it out'];
  throw new InputError(
    `${labelOf(object)} cannot be applied: Crossplane ${target.version} has no ${kind}, which ${when}`,
    { origin, hint: `${instead}, or resolve for a release that has it (\`--crossplane\`)` },
  );
}

/** Fields of a package object that refer to the settings of its runtime. */
const RUNTIME_REFERENCES = {
  runtimeConfigRef: 'DeploymentRuntimeConfig',
  controllerConfigRef: CONTROLLER_CONFIG,
} as const;

/**
 * Returns the references of a package object to runtime settings that are not among `objects`.
 * Crossplane itself creates the runtime config `default`.
 */
export function missingRuntimeConfigs(
  { kind, spec }: { readonly kind: PackageKind; readonly spec: JsonObject },
  objects: readonly JsonObject[],
  { rules }: Target,
) {
  const labels = new Set(objects.map(labelOf));
  return Object.entries(RUNTIME_REFERENCES).flatMap(([field, defaultKind]) => {
    const reference = mappingOf(spec[field]);
    const name = stringOf(reference?.['name']);
    if (name === undefined || !hasSpecField(kind, field)) return [];
    if (field === 'controllerConfigRef' && !rules.controllerConfigRef) return [];
    const wanted = { kind: stringOf(reference?.['kind']) ?? defaultKind, metadata: { name } };
    const isBuiltIn = wanted.kind === 'DeploymentRuntimeConfig' && name === 'default';
    return isBuiltIn || labels.has(labelOf(wanted)) ? [] : [{ field, name, kind: wanted.kind }];
  });
}
