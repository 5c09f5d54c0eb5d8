import type { IndexPackage } from '../../model/index-file.js';
import { isMapping } from '../../text/json.js';
import { hashOf, MAX_REQUIRES } from './parts-format.js';

/** Fields of a dependsOn entry that may name a repository, whichever of them a release reads. */
const NAMING = ['package', 'configuration', 'provider', 'function'];

/** Hashes of the repositories that versions of a package require, ascending, each once. */
export function requiredHashes({ versions }: IndexPackage): readonly number[] {
  const names = new Set<string>();
  for (const { dependsOn = [] } of Object.values(versions)) {
    for (const entry of dependsOn) {
      if (!isMapping(entry)) continue;
      for (const field of NAMING) {
        const named = entry[field];
        if (typeof named === 'string') names.add(named);
      }
    }
  }
  const hashes = new Set([...names].map(hashOf));
  return [...hashes].sort((a, b) => a - b).slice(0, MAX_REQUIRES);
}
