import type { Owner } from './package-source.js';
import { byCodePoint } from '../base/collections.js';
import type { CrdRef } from '../crossplane/packages/crd-ref.js';
import { createsCrd } from '../crossplane/packages/owned-objects.js';
import type { PackageContents } from '../crossplane/packages/package-contents.js';
import type { Repository } from '../crossplane/packages/package.js';
import type { ReleaseRules } from '../crossplane/releases/release-facts.js';

/** Returns the owners of a CRD among some packages, in their order. Reads one version at a time. */
export async function ownersAmong(
  packages: Iterable<
    readonly [Repository, AsyncIterable<readonly [version: string, PackageContents]>]
  >,
  crdRef: CrdRef,
  target: ReleaseRules,
): Promise<readonly Owner[]> {
  const owners: Owner[] = [];
  for (const [repository, contentsByVersion] of packages) {
    const versions: string[] = [];
    for await (const [version, contents] of contentsByVersion) {
      if (createsCrd(contents, crdRef, target)) versions.push(version);
    }
    if (versions.length > 0) owners.push({ repository, versions: versions.sort(byCodePoint) });
  }
  return owners;
}
