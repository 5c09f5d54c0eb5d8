import type { Origin } from '../../base/errors.js';
import type { Selector } from '../../crossplane/constraints/constraint.js';
import type { Dialect } from '../../crossplane/constraints/dialects.js';
import type { Version } from '../../crossplane/constraints/version.js';
import type { CrdRef } from '../../crossplane/packages/crd-ref.js';
import type { OwnedObject } from '../../crossplane/packages/owned-objects.js';
import type { Candidate, PackageKind, Repository } from '../../crossplane/packages/package.js';
import type { ReleaseRules } from '../../crossplane/releases/release-facts.js';
import type { PackageSource } from '../../sources/package-source.js';

/** The input of the solver. The order of the roots is the order of decisions. */
export interface Problem {
  readonly dialect: Dialect;
  readonly skipsIncompleteTags: boolean;
  /** Candidate Crossplane releases, most preferred first. All follow the same rules. */
  readonly releases: readonly Version[];
  readonly roots: readonly RootRequirement[];
  readonly overrides: ReadonlyMap<Repository, Rule>;
  readonly exclude: ReadonlyMap<Repository, readonly Rule[]>;
  readonly replace: ReadonlyMap<Repository, Repository>;
  /** Repositories whose prereleases are treated as releases. */
  readonly prereleases: ReadonlySet<Repository>;
  /** Repositories whose Crossplane constraint is ignored. */
  readonly anyCrossplane: ReadonlySet<Repository>;
  /** Ignores `dependsOn`. */
  readonly ignoreRequirements: boolean;
  readonly prefer: 'newest' | 'lowest';
  /** Versions preferred to all others. */
  readonly locked: ReadonlyMap<Repository, string>;
  readonly allowCycles: boolean;
  /** The policies of the user. */
  readonly policy?: PolicyRules | undefined;
  /** Number of conflicts after which the search gives up. */
  readonly maxConflicts: number;
}

/** Policies of the user on which versions may be selected. */
export interface PolicyRules {
  /** Returns why every version of a repository is excluded. Decides by name, without a request. */
  repository(repository: Repository): Ruling | undefined;
  /** Returns the rules that exclude versions of a repository by name. */
  versions(repository: Repository): readonly VersionPolicyRule[];
  /** Reports whether the driver must inspect each version of a repository (`ask: 'ruling'`). */
  mustInspect(repository: Repository): boolean;
  /** Reports whether to ignore a violation, for a suggestion. `version` undefined: of all versions. */
  waives?(ruling: Ruling, repository: Repository, version: string | undefined): boolean;
}

/** Excludes the matching versions of a repository. */
export interface VersionPolicyRule {
  readonly matches: (version: string) => boolean;
  readonly ruling: Ruling;
}

export interface Rule {
  readonly selector: Selector;
  readonly origin: Origin;
  /** The pinned package that the excluded versions no longer require; only for pins. */
  readonly drops?: Repository | undefined;
}

/** A requirement of the user or of a local package. */
export type RootRequirement = RootPackage | RootApi | RootCrossplane | RootOwnership;

interface FromRoot {
  readonly origin: Origin;
  /** The local package; undefined: the user. */
  readonly by: string | undefined;
}

export interface RootPackage extends FromRoot {
  readonly requires: 'package';
  readonly repository: Repository;
  readonly kind: PackageKind | undefined;
  readonly selector: Selector;
  /** The requirement is an input object, which has a tag or a digest but no range. */
  readonly rejectsRanges?: boolean | undefined;
  /** Admits any version and prefers the nearest to the selector; for a suggestion. */
  readonly isRelaxed?: boolean | undefined;
  /** The command line names the package and its versions. Suggestions do not change it. */
  readonly isNamed?: boolean | undefined;
  /** Selects the version of a package that others require; undefined: requires the package itself. */
  readonly pin?: Pin | undefined;
}

export interface Pin {
  /** Packages that require it in the lockfile, directly or indirectly. */
  readonly requiredBy: ReadonlySet<Repository>;
}

/** Requires a package that owns a CRD. */
export interface RootApi extends FromRoot {
  readonly requires: 'api';
  readonly crd: CrdRef;
}

/** The Crossplane constraint of a local package. */
export interface RootCrossplane extends FromRoot {
  readonly requires: 'crossplane';
  readonly constraint: string;
}

/** The objects that a local package owns. No other package may own them. */
export interface RootOwnership extends FromRoot {
  readonly requires: 'owns';
  readonly objects: readonly OwnedObject[];
}

export function packageRoots({ roots }: Problem): RootPackage[] {
  return roots.filter((root) => root.requires === 'package');
}

export function withRoots(
  problem: Problem,
  change: (root: RootPackage, index: number) => Partial<RootPackage> | undefined,
): Problem {
  const roots = problem.roots.map((root, index) =>
    root.requires === 'package' ? { ...root, ...change(root, index) } : root,
  );
  return { ...problem, roots };
}

/** Returns the repository to install for a named one, after `spec.replace`. */
export function effectiveRepository(problem: Problem, named: Repository): Repository {
  return problem.replace.get(named) ?? named;
}

/** Returns the selector that applies to a package: its override, or the given one. */
export function effectiveSelector(
  problem: Problem,
  repository: Repository,
  required: Selector,
): Selector {
  return problem.overrides.get(repository)?.selector ?? required;
}

/**
 * A policy violation; each member is for one kind of rule. `registries`: the package is not from an
 * allowed registry. `origin` is the place of the rule. `because` is undefined if it differs between
 * versions.
 */
export type Ruling = { readonly origin: Origin } & (
  | { readonly by: 'registries'; readonly allowed: readonly string[] }
  | { readonly by: 'deny'; readonly reason: string | undefined }
  /** The policy denies some versions, and the version of a digest is not known. */
  | { readonly by: 'deny-digest'; readonly versions: string }
  /**
   * The version was published too recently. `minimum`: as written, such as `7d`. `from`: the time
   * from which it is allowed, in ISO 8601; the earliest of several versions.
   */
  | { readonly by: 'age'; readonly minimum: string; readonly from: string }
  /** The publication time is not known. */
  | { readonly by: 'unknown-age'; readonly minimum: string; readonly because: string | undefined }
  /** The image lacks the signature that the ImageConfig `policy` requires. */
  | { readonly by: 'signature'; readonly policy: string; readonly because: string | undefined }
);

export type RulingKind = Ruling['by'];

/**
 * A rule that must inspect each version, for example its publication time or signature. It is
 * evaluated once for each version that the search considers, before the version is read.
 */
export interface CandidateRule {
  /**
   * Returns the violation; undefined: the version is allowed or does not exist. The result depends
   * only on the arguments during a run. Throws `SourceError` if the source fails.
   */
  judge(
    candidate: Candidate,
    at: { readonly source: PackageSource; readonly target: ReleaseRules },
  ): Promise<Ruling | undefined>;
  /**
   * Crossplane releases that can enforce the rule; undefined: every release. Other releases are
   * excluded, or the search could select an old release to avoid the rule.
   */
  readonly enforcedBy?: ReleaseRequirement | undefined;
}

/** A constraint on the Crossplane release that does not come from a package. */
export interface ReleaseRequirement {
  readonly constraint: string;
  /** Subject of the sentence in an explanation: ``the signature policy of ImageConfig `signed` ``. */
  readonly by: string;
  readonly origin: Origin;
}

/** Returns one violation for two versions of a package that violate the same rule. */
export function mergedRuling(one: Ruling, other: Ruling): Ruling {
  if (one.by === 'age' && other.by === 'age') return other.from < one.from ? other : one;
  if (!('because' in one) || !('because' in other)) return one;
  return one.because === other.because ? one : { ...one, because: undefined };
}

/** Returns a key that is equal for violations of the same rule. */
export function rulingKey({ by, origin }: Ruling): string {
  return JSON.stringify([by, origin.file, origin.document, origin.path, origin.line]);
}
