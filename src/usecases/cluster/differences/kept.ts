import { labelOf } from '../../../bundle/object-label.js';
import { withoutClusterState } from '../../../bundle/object-template.js';
import type { ClusterDump } from '../../../model/cluster/cluster-dump.js';
import { isList, isMapping, type JsonObject, type JsonValue } from '../../../text/json.js';
import { APPLY, type Difference } from './difference.js';

/**
 * ImageConfigs and runtime configs among rendered objects that are not so in the cluster.
 *
 * An API server adds defaults: what is locked must be there, and may be there with more around it.
 */
export function keptDifferences(
  objects: readonly JsonObject[],
  { kept }: ClusterDump,
): Difference[] {
  // Not dumped: `kubectl get` was not asked for them.
  const kinds = new Set(kept.map(({ object }) => object['kind']));
  return objects.flatMap((locked): Difference[] => {
    const label = labelOf(locked);
    if (!kinds.has(locked['kind'])) return [];
    const found = kept.find(({ object }) => labelOf(object) === label);
    if (found === undefined) {
      return [{ kind: 'missing', text: `${label} is locked and not in the cluster`, fix: APPLY }];
    }
    if (holds(withoutClusterState(found.object), withoutClusterState(locked))) return [];
    const text = `${label} is otherwise in the cluster than it is locked`;
    const fix = `${APPLY}; to keep what is there, change the file that it is from, and resolve`;
    return [{ kind: 'setting', origin: found.origin, text, fix }];
  });
}

function holds(found: JsonValue | undefined, wanted: JsonValue): boolean {
  if (isList(wanted)) {
    return (
      isList(found) &&
      found.length === wanted.length &&
      wanted.every((each, i) => holds(found[i], each))
    );
  }
  if (isMapping(wanted)) {
    // An empty mapping may be dropped on the way.
    if (found === undefined) return Object.keys(wanted).length === 0;
    return (
      isMapping(found) && Object.entries(wanted).every(([key, each]) => holds(found[key], each))
    );
  }
  return found === wanted;
}
