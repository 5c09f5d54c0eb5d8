import type { PackageKind, Repository } from '../../model/package.js';
import type { PackageMeta } from '../../model/package-meta.js';
import type { CrdDemand } from '../../model/crd-demand.js';
import type { Term, Variable } from '../incompatibility.js';
import type { PackageVersions } from './package-versions.js';
import type { RootOwnership, RootPackage } from '../problem.js';
import type { VersionSet } from '../version-set.js';

/** What a variable is about, and what is known of it. */
export type Subject = PackageSubject | CrossplaneSubject | ApiSubject | LocalSubject;

export interface PackageSubject {
  readonly about: 'package';
  readonly variable: Variable;
  readonly repository: Repository;
  readonly versions: PackageVersions;
  /** false: every source says that there is no such repository. */
  exists: boolean;
  readonly metas: Map<number, PackageMeta>;
  /** Values that have been looked at: read, missing or rejected. */
  readonly read: Set<number>;
  /** Per value: how many of its requirements the search has been told. */
  readonly told: Map<number, number>;
  /** Versions read, by the kind they turned out to be. */
  readonly kinds: Map<PackageKind, VersionSet>;
  /** What asks for this package, and as what. */
  readonly expectedKinds: Map<
    string,
    { readonly kind: PackageKind; readonly by: Term | RootPackage }
  >;
  /** Versions read that require another package. */
  readonly edges: Map<Variable, VersionSet>;
  /** How many values exclusions have been applied to. */
  screened: number;
  /** How many values policies have been applied to. */
  governed: number;
  /** Whether a policy refuses every version; undefined: none was asked yet. */
  refused: boolean | undefined;
}

interface CrossplaneSubject {
  readonly about: 'crossplane';
  readonly variable: Variable;
}

/** The owner of a required CRD; each value is a package that could be. */
export interface ApiSubject {
  readonly about: 'api';
  readonly variable: Variable;
  readonly demand: CrdDemand;
  /** `owners[i]` is value `FIRST + i`; in code-point order of repository. */
  readonly owners: readonly PackageSubject[];
}

/** A package under development; always there. */
interface LocalSubject {
  readonly about: 'local';
  readonly variable: Variable;
  readonly root: RootOwnership;
}
