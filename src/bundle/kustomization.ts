import type { JsonObject } from '../text/json.js';

/** Makes `kubectl apply -k` apply these files, and in this order. */
export function kustomization(resources: readonly string[]): JsonObject {
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources,
    // `kustomize build` sorts by kind unless told, which puts Configurations before Providers.
    sortOptions: { order: 'fifo' },
  };
}
