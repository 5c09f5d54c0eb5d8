import type { CrdDemand } from '../model/crd-demand.js';
import type { PackageSource } from '../model/package-source.js';
import type { Target } from '../model/target/target.js';
import type { KnownOwner } from './convert-dependencies.js';

/** Who owns a CRD, as a source that can list what it holds tells; none, of one that cannot. */
export async function knownOwners(
  source: PackageSource,
  demand: CrdDemand,
  target: Target,
): Promise<KnownOwner[]> {
  const owners: KnownOwner[] = [];
  for (const { repository, versions } of (await source.owners?.(demand, target)) ?? []) {
    const published = (await source.tags(repository, target)) ?? [];
    const found = await source.fetch({ repository, version: versions.at(-1)! }, target);
    const kind = found?.contents.metas[0]?.kind ?? 'Provider';
    owners.push({ repository, kind, published, owning: versions });
  }
  return owners;
}
