import type { PackageKind, Repository } from '../packages/package.js';
import type { TargetRules } from '../releases/target.js';
import type { JsonObject } from '../../base/json.js';

export interface LockRow {
  /** Name of its revision. */
  readonly name: string;
  readonly kind: PackageKind;
  readonly source: Repository;
  /** The tag or digest of `spec.package`. */
  readonly version: string;
  readonly dependencies: readonly LockDependency[];
}

export interface LockDependency {
  readonly repository: Repository;
  readonly kind: string;
  /** Set for the explicit form (`apiVersion`, `kind`, `package`). */
  readonly apiVersion: string | undefined;
  /** As written. */
  readonly constraint: string;
}

/** Returns a row as the package manager of the target writes it. */
export function lockRowManifest(row: LockRow, { lockRows }: TargetRules): JsonObject {
  const { name, kind, source, version, dependencies } = row;
  return {
    name,
    ...(lockRows === 'type' ? { type: kind } : { apiVersion: 'pkg.crossplane.io/v1', kind }),
    source,
    version,
    dependencies: dependencies.map((dependency) => ({
      package: dependency.repository,
      ...(dependency.apiVersion !== undefined && lockRows === 'gvk'
        ? { apiVersion: dependency.apiVersion, kind: dependency.kind }
        : { type: dependency.kind }),
      constraints: dependency.constraint,
    })),
  };
}
