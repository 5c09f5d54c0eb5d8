import { isPackageKind } from '../model/package.js';
import { mappingOf, stringOf, type JsonObject } from '../text/json.js';
import type { WantedObject } from './cluster-state.js';

/** A `pkg.crossplane.io` object as a package manager reads it; undefined: it is no package. */
export function wantedObject(object: JsonObject): WantedObject | undefined {
  const apiVersion = stringOf(object['apiVersion']) ?? '';
  const kind = stringOf(object['kind']) ?? '';
  if (!apiVersion.startsWith('pkg.crossplane.io/') || !isPackageKind(kind)) return undefined;
  const spec = mappingOf(object['spec']) ?? {};
  return {
    kind,
    name: stringOf(mappingOf(object['metadata'])?.['name']) ?? '',
    reference: stringOf(spec['package']) ?? '',
    skipDependencyResolution: spec['skipDependencyResolution'] === true,
    ignoreCrossplaneConstraints: spec['ignoreCrossplaneConstraints'] === true,
    manual: spec['revisionActivationPolicy'] === 'Manual',
  };
}
