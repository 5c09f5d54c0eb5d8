import type { CrdRef } from '../../crossplane/packages/crd-ref.js';
import type { PackageSource } from '../../sources/package-source.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { CrdOwner } from '../../crossplane/legacy/convert-package.js';

/** Returns the packages that own a CRD; none if the source cannot list its packages. */
export async function knownOwners(
  source: PackageSource,
  demand: CrdRef,
  target: Target,
): Promise<CrdOwner[]> {
  const owners: CrdOwner[] = [];
  for (const { repository, versions } of (await source.owners?.(demand, target)) ?? []) {
    const published = (await source.tags(repository, target)) ?? [];
    const found = await source.fetch({ repository, version: versions.at(-1)! }, target);
    const kind = found?.contents.metas[0]?.kind ?? 'Provider';
    owners.push({ repository, kind, published, owning: versions });
  }
  return owners;
}
