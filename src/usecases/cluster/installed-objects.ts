import { byKindAndName, ownedAs, type OwnedObject } from '../../model/owned-object.js';
import type { ClusterDump } from '../../model/cluster/cluster-dump.js';
import type { InstalledPackage } from './installed-cluster.js';

/**
 * What the active revision of a package lists as its own; sorted by kind, then name.
 *
 * Releases that have MRDs make them of the CRDs that a provider brings, which are meant here.
 */
export function installedObjects(
  { active, kind }: InstalledPackage,
  claims: ClusterDump['claims'] = new Map(),
): readonly OwnedObject[] {
  const owned = new Map<string, OwnedObject>();
  for (const reference of active?.objects ?? []) {
    const [group] = reference.apiVersion.split('/');
    const listed = ownedAs(reference.kind, group);
    if (listed === undefined) continue;
    const { name } = reference;
    const as = listed === 'MRD' && kind === 'Provider' ? 'CRD' : listed;
    owned.set(`${as} ${name}`, { kind: as, name });
    const claim = as === 'XRD' ? claims.get(name) : undefined;
    if (claim !== undefined) owned.set(`claim ${claim}`, { kind: 'claim', name: claim });
  }
  return [...owned.values()].sort(byKindAndName);
}
