import { revisionName } from '../../crossplane/packages/object-names.js';
import type { JsonObject } from '../../base/json.js';
import type { Digest } from '../../base/digest.js';
import { joinReference, splitPackageReference } from '../../crossplane/packages/reference.js';
import type { Target } from '../../crossplane/releases/target.js';
import { lockRowManifest, type LockRow } from '../../crossplane/package-manager/lock-row.js';
import type { LockedPackage, Lockfile } from './lockfile.js';
import { inApplyOrder } from './lock-graph.js';

/** A package with a digest, which the name of its row in a Lock needs. */
type DigestedPackage = LockedPackage & { readonly digest: Digest };

/** Returns packages without a digest, which cannot have a row in a Lock. */
export function packagesWithoutDigest(lockfile: Lockfile): readonly LockedPackage[] {
  return lockfile.packages.filter((each) => !isDigested(each));
}

/** The `Lock` of a cluster in which every package skips dependency resolution. */
export const EMPTY_LOCK: JsonObject = {
  apiVersion: 'pkg.crossplane.io/v1beta1',
  kind: 'Lock',
  metadata: { name: 'lock' },
  packages: [],
};

/**
 * Returns the `Lock` that the package manager of the target would write.
 *
 * `versionOf` returns the tag or digest in `spec.package` of an object. Every package must have a
 * digest.
 */
export function lockManifest(
  lockfile: Lockfile,
  target: Target,
  versionOf: (locked: LockedPackage) => string,
): JsonObject {
  const rows = inApplyOrder(lockfile.packages)
    .filter(isDigested)
    .map((locked) => lockRowManifest(rowOf(locked, versionOf(locked), target), target.rules));
  return { ...EMPTY_LOCK, packages: rows };
}

function isDigested(locked: LockedPackage): locked is DigestedPackage {
  return locked.digest !== undefined;
}

function rowOf(locked: DigestedPackage, installed: string, target: Target): LockRow {
  const spelled = joinReference(locked.repository, installed);
  const { source, version } = splitPackageReference(spelled, target) ?? {
    source: locked.repository,
    version: installed,
  };
  return {
    name: revisionName(locked.name, locked.digest),
    kind: locked.kind,
    source,
    version,
    // Crossplane does not know requirements by CRD.
    dependencies: locked.requirements.filter((each) => each.requires === 'package'),
  };
}
