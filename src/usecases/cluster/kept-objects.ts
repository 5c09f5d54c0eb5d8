import { isRenderedPin } from '../../model/cluster/image-config.js';
import type { ClusterDump } from '../../model/cluster/cluster-dump.js';
import type { KeptObject } from '../../model/request.js';
import { mappingOf, stringOf, type JsonObject } from '../../text/json.js';

/**
 * The ImageConfigs of a cluster but those that pin what is locked, and the runtime configs that
 * something refers to.
 *
 * Crossplane makes a runtime config `default` that says nothing; every other is a person's.
 */
export function keptObjects({ kept, packages }: ClusterDump): readonly KeptObject[] {
  const referring = [
    ...packages.map(({ spec }) => spec['runtimeConfigRef']),
    ...kept.map(({ object }) => mappingOf(mappingOf(object['spec'])?.['runtime'])?.['configRef']),
  ];
  const names = new Set(referring.map((reference) => stringOf(mappingOf(reference)?.['name'])));
  return kept.filter(({ object }) => {
    if (isRenderedPin(object)) return false;
    if (object['kind'] === 'ImageConfig') return true;
    return names.has(nameIn(object)) && Object.keys(mappingOf(object['spec']) ?? {}).length > 0;
  });
}

function nameIn(object: JsonObject): string | undefined {
  return stringOf(mappingOf(object['metadata'])?.['name']);
}
