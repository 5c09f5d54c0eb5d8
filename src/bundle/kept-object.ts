import { InputError } from '../model/input-error.js';
import { mappingOf, type JsonObject } from '../text/json.js';
import type { Target } from '../model/target/target.js';
import { labelOf } from './object-label.js';
import { withoutClusterState } from './object-template.js';

interface KeptForTarget {
  /** undefined: the target could make nothing of it. */
  readonly object: JsonObject | undefined;
  readonly warnings: readonly string[];
}

const ACTIVATION_POLICY = 'ManagedResourceActivationPolicy';

/** The apiVersion under which each kind is served. */
function servedAs(kind: unknown): string {
  return kind === ACTIVATION_POLICY
    ? 'apiextensions.crossplane.io/v1alpha1'
    : 'pkg.crossplane.io/v1beta1';
}

/**
 * An ImageConfig, runtime config or activation policy as the target takes it.
 *
 * What an ImageConfig asks of a later release is left out with a warning: the API server would
 * drop it in silence, and a kind it does not serve would fail the whole apply.
 */
export function keptForTarget(given: JsonObject, target: Target): KeptForTarget {
  const object = withoutClusterState(given);
  const label = labelOf(object);
  const served = servedAs(object['kind']);
  if (object['apiVersion'] !== served) {
    throw new InputError(`${label}: \`apiVersion\` must be \`${served}\``);
  }
  if (object['kind'] === ACTIVATION_POLICY) refuseUnserved(served, label, target);
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
  return { object: dropped.length === 0 ? object : withoutFields(object, spec, dropped), warnings };
}

/** Left out, it would not switch off what it is to switch off: that is for the user to decide. */
function refuseUnserved(served: string, label: string, { rules, version }: Target): void {
  if (rules.objectKinds[served]?.includes(ACTIVATION_POLICY) === true) return;
  throw new InputError(
    `${label} cannot be applied: Crossplane ${version} has no ${ACTIVATION_POLICY}, which came with v2.0`,
    { hint: 'leave it out, or resolve for a release that has it (`--crossplane`)' },
  );
}

/** undefined once there is nothing left for it to do. */
function withoutFields(
  object: JsonObject,
  spec: JsonObject,
  dropped: readonly string[],
): JsonObject | undefined {
  const kept = Object.entries(spec).filter(([field]) => !dropped.includes(field));
  if (kept.every(([field]) => field === 'matchImages')) return undefined;
  return { ...object, spec: Object.fromEntries(kept) };
}
