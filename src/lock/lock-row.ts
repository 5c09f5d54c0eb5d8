import type { PackageKind, Repository } from '../model/package.js';
import type { TargetRules } from '../model/target/target.js';
import type { JsonObject } from '../text/json.js';

/** A package as the `Lock` of a cluster has it. */
export interface LockRow {
  /** Of its revision. */
  readonly name: string;
  readonly kind: PackageKind;
  readonly source: Repository;
  /** The tag or digest of `spec.package`. */
  readonly version: string;
  /** In dependsOn order. */
  readonly dependencies: readonly LockDependency[];
}

/** What a package says it depends on, as its row has it. */
export interface LockDependency {
  readonly repository: Repository;
  readonly kind: string;
  /** Set for the explicit form (`apiVersion`, `kind`, `package`). */
  readonly apiVersion: string | undefined;
  /** Verbatim. */
  readonly constraint: string;
}

/** A row as the target's package manager writes it. */
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
