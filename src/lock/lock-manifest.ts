import { revisionName } from '../model/name.js';
import type { Requirement } from '../model/package-meta.js';
import type { JsonObject } from '../text/json.js';
import type { Digest } from '../text/digest.js';
import { joinReference, splitPackageReference } from '../model/reference.js';
import type { Target, TargetRules } from '../model/target/target.js';
import type { LockedPackage, Lockfile } from './lockfile.js';
import { inApplyOrder } from './order.js';

/** A package with the digest that its row in a Lock is named by. */
type DigestedPackage = LockedPackage & { readonly digest: Digest };

/** Packages that cannot have a row in a Lock, for want of a digest. */
export function undigested(lockfile: Lockfile): readonly LockedPackage[] {
  return lockfile.packages.filter((each) => !isDigested(each));
}

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
    .map((locked) => row(locked, versionOf(locked), target));
  return {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'Lock',
    metadata: { name: 'lock' },
    packages: rows,
  };
}

function isDigested(locked: LockedPackage): locked is DigestedPackage {
  return locked.digest !== undefined;
}

function row(locked: DigestedPackage, installed: string, target: Target): JsonObject {
  const spelled = joinReference(locked.repository, installed);
  const { source, version } = splitPackageReference(spelled, target) ?? {
    source: locked.repository,
    version: installed,
  };
  return {
    name: revisionName(locked.name, locked.digest),
    ...(target.rules.lockRows === 'type'
      ? { type: locked.kind }
      : { apiVersion: 'pkg.crossplane.io/v1', kind: locked.kind }),
    source,
    version,
    dependencies: locked.requirements.flatMap((each) => dependency(each, target.rules)),
  };
}

/** None for a requirement by CRD, which Crossplane does not know. */
function dependency(requirement: Requirement, rules: TargetRules): readonly JsonObject[] {
  if (requirement.requires === 'crd') return [];
  const { repository, kind, apiVersion, constraint } = requirement;
  const explicit = apiVersion !== undefined && rules.lockRows === 'gvk';
  return [
    {
      package: repository,
      ...(explicit ? { apiVersion, kind } : { type: kind }),
      constraints: constraint,
    },
  ];
}
