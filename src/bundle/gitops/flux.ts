import { PACKAGE_KINDS } from '../../model/package.js';
import type { JsonObject } from '../../text/json.js';

/** Where Flux has the files from. */
export interface FluxSource {
  /** GitRepository, OCIRepository or Bucket. */
  readonly kind: string;
  /** Of the source and of what is made for Flux. */
  readonly namespace: string;
  readonly name: string;
}

/** What Flux applies as one, and waits for. */
export interface FluxLayer {
  readonly name: string;
  /** Folder within the source. */
  readonly path: string;
  readonly objects: readonly JsonObject[];
}

/** Never removed by Flux: a package that moves to another layer would be removed on the way. */
export const KEEP_ANNOTATION = { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' } as const;

/**
 * True once a package is installed and healthy at the version that is asked for, in CEL as Flux
 * evaluates it: fields of the object are variables. An object without status has no such variable,
 * which Flux takes for "not yet".
 */
export const PACKAGE_IS_CURRENT =
  "has(status.conditions) && ['Installed', 'Healthy'].all(type, " +
  "status.conditions.exists(c, c.type == type && c.status == 'True')) && " +
  '(!has(status.currentIdentifier) || status.currentIdentifier == spec.package)';

/** True while Crossplane is still about it; all that can be wrong may pass, so nothing counts as failed. */
export const PACKAGE_IN_PROGRESS =
  "!has(status.conditions) || status.conditions.exists(c, c.type in ['Installed', 'Healthy'] && " +
  "c.status != 'True')";

/** A Flux Kustomization for each layer, each after the one before. */
export function fluxKustomizations(
  layers: readonly FluxLayer[],
  source: FluxSource,
): readonly JsonObject[] {
  return layers.map(({ name, path, objects }, n) => {
    const before = layers[n - 1];
    const checks = healthChecks(objects);
    return {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name, namespace: source.namespace },
      spec: {
        ...(before === undefined ? {} : { dependsOn: [{ name: before.name }] }),
        sourceRef: { kind: source.kind, name: source.name },
        path,
        interval: '10m',
        retryInterval: '1m',
        timeout: '15m',
        prune: true,
        wait: true,
        ...(checks.length === 0 ? {} : { healthCheckExprs: checks }),
      },
    };
  });
}

/** Flux finds a check by group and kind; a Function may be of one version or another. */
function healthChecks(objects: readonly JsonObject[]): readonly JsonObject[] {
  return PACKAGE_KINDS.flatMap((kind) => {
    const object = objects.find((each) => each['kind'] === kind);
    if (object === undefined) return [];
    const apiVersion = object['apiVersion']!;
    return [{ apiVersion, kind, inProgress: PACKAGE_IN_PROGRESS, current: PACKAGE_IS_CURRENT }];
  });
}
