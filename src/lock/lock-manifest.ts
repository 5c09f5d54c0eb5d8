import { revisionName } from '../model/name.js';
import type { JsonObject } from '../text/json.js';
import type { Digest } from '../text/digest.js';
import { joinReference, splitPackageReference } from '../model/reference.js';
import type { Target } from '../model/target/target.js';
import { lockRowManifest, type LockRow } from './lock-row.js';
import type { LockedPackage, Lockfile } from './lockfile.js';
import { inApplyOrder } from './order.js';

/** A package with the digest that its row in a Lock is named by. */
type DigestedPackage = LockedPackage & { readonly digest: Digest };

/** Packages that cannot have a row in a Lock, for want of a digest. */
export function undigested(lockfile: Lockfile): readonly LockedPackage[] {
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
 * The `Lock` that the target's package manager would arrive at.
 *
 * `versionOf` says what each object's `spec.package` holds, its tag or its digest. Every package
 * must have a digest.
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
    // A requirement by CRD, which Crossplane does not know, has no place in a row.
    dependencies: locked.requirements.filter((each) => each.requires === 'package'),
  };
}
