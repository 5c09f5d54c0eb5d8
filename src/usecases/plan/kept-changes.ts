import { isDeepStrictEqual } from 'node:util';
import { labelOf } from '../../bundle/object-label.js';
import type { Lockfile } from '../../lock/lockfile.js';
import type { JsonObject } from '../../text/json.js';

/** What becomes of the ImageConfigs and runtime configs of the user. */
export interface KeptChanges {
  /** New or other than before, in the order given. */
  readonly applied: readonly JsonObject[];
  readonly removed: readonly JsonObject[];
}

export function keptChanges(from: Lockfile, to: Lockfile): KeptChanges {
  const before = new Map(from.objects.map((object) => [labelOf(object), object]));
  const after = new Set(to.objects.map(labelOf));
  return {
    applied: to.objects.filter((object) => !isDeepStrictEqual(before.get(labelOf(object)), object)),
    removed: from.objects.filter((object) => !after.has(labelOf(object))),
  };
}
