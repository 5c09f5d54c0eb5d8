import type { Origin, PackageKind, Repository } from '../model/package.js';
import type { OwnedObject } from '../model/owned-object.js';
import type { CrdDemand } from '../model/crd-demand.js';
import type { Dialect } from '../semver/dialect.js';
import type { Version } from '../semver/version.js';
import type { Selector } from '../model/selector.js';
import type { Ruling } from '../model/policy/ruling.js';

/** What one resolution asks of the solver; the order of roots is the order of decisions. */
export interface Problem {
  readonly dialect: Dialect;
  readonly skipsIncompleteTags: boolean;
  /** Crossplane releases to choose from, most preferred first; all follow the same rules. */
  readonly releases: readonly Version[];
  readonly roots: readonly RootRequirement[];
  readonly overrides: ReadonlyMap<Repository, Rule>;
  readonly exclude: ReadonlyMap<Repository, readonly Rule[]>;
  readonly replace: ReadonlyMap<Repository, Repository>;
  /** Repositories whose prereleases count as releases. */
  readonly prereleases: ReadonlySet<Repository>;
  /** Repositories not held to their Crossplane constraint. */
  readonly anyCrossplane: ReadonlySet<Repository>;
  /** No dependsOn is followed. */
  readonly ignoreRequirements: boolean;
  readonly prefer: 'newest' | 'lowest';
  /** Versions to prefer before all others. */
  readonly locked: ReadonlyMap<Repository, string>;
  readonly allowCycles: boolean;
  /** What the user's policies forbid; undefined: nothing. */
  readonly policy?: PolicyRules | undefined;
  /** Conflicts after which to give up. */
  readonly maxConflicts: number;
}

/** Rules on what may be chosen at all, beside what can be. */
export interface PolicyRules {
  /** Why no version of a repository may be chosen, told by its name alone: nothing is asked of it. */
  repository(repository: Repository): Ruling | undefined;
  /** Versions of a repository that may not be chosen, told by their names. */
  versions(repository: Repository): readonly VersionRuling[];
  /** Whether its versions must be looked at one by one, which the driver does (`ask: 'ruling'`). */
  looksAt(repository: Repository): boolean;
  /** Rulings that do not count: what a suggestion tries. `version` undefined: on all of them. */
  waives?(ruling: Ruling, repository: Repository, version: string | undefined): boolean;
}

export interface VersionRuling {
  readonly selector: Selector;
  readonly ruling: Ruling;
}

export interface Rule {
  readonly selector: Selector;
  readonly origin: Origin;
}

/** Something a root asks for. */
export type RootRequirement = RootPackage | RootApi | RootCrossplane | RootOwnership;

interface FromRoot {
  readonly origin: Origin;
  /** The local package that asks; undefined: the user does, directly. */
  readonly by: string | undefined;
}

export interface RootPackage extends FromRoot {
  readonly requires: 'package';
  readonly repository: Repository;
  readonly kind: PackageKind | undefined;
  readonly selector: Selector;
  /** It stands in an input object, which takes a tag or a digest and no range. */
  readonly takesNoRange?: boolean | undefined;
  /** Any version will do, those nearest to the selector before others: what a suggestion tries. */
  readonly isRelaxed?: boolean | undefined;
}

/** Some package must own this CRD. */
export interface RootApi extends FromRoot {
  readonly requires: 'api';
  readonly crd: CrdDemand;
}

/** A local package's own Crossplane constraint. */
export interface RootCrossplane extends FromRoot {
  readonly requires: 'crossplane';
  readonly constraint: string;
}

/** What a local package would own; no other may. */
export interface RootOwnership extends FromRoot {
  readonly requires: 'owns';
  readonly objects: readonly OwnedObject[];
}
