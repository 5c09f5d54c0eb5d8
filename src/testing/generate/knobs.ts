/**
 * What generated universes are made of. Shares are between 0 (never) and 1 (always); what is left
 * out keeps its default.
 */
export interface Knobs {
  /** At most so many packages, aliases, family and monolith aside. */
  readonly packages: number;
  /** At most so many versions of each package, odd tags aside. */
  readonly versions: number;
  /** At most so many dependencies one below the other, cycles aside. */
  readonly depth: number;
  /** Share of versions that are prereleases. */
  readonly prereleases: number;
  /** Share of requirements that name a digest. */
  readonly digests: number;
  /** Share of versions whose digest is not known. */
  readonly undigested: number;
  /** Share of versions that constrain Crossplane. */
  readonly crossplane: number;
  /** Share of versions that own an object of another package too. */
  readonly sharedCrds: number;
  /** Share of universes with a provider family and the monolith it was cut from. */
  readonly families: number;
  /**
   * Share of universes in which one package is published in two registries, or under two names of
   * one registry (`docker.io` and `index.docker.io`).
   */
  readonly aliases: number;
  /** Share of versions that require a package above them, or themselves. */
  readonly cycles: number;
  /** Share of dependencies on a package that is not published. */
  readonly missing: number;
  /** Share of dependencies that name the wrong kind of package. */
  readonly kindMismatches: number;
  /** Share of dependencies written as `apiVersion`, `kind`, `package`. */
  readonly explicit: number;
  /** Share of packages with a tag such as `v1` or `1.2`. */
  readonly incompleteTags: number;
  /** Share of packages with a tag such as `latest`, or one version spelled twice. */
  readonly oddTags: number;
  /** Share of constraints that no version can satisfy. */
  readonly unsatisfiable: number;
  /** Share of constraints that name a version which was never published. */
  readonly phantoms: number;
  /** Share of constraints that no dialect reads. */
  readonly invalid: number;
  /** Share of constraints that Crossplane's two semver dialects read differently. */
  readonly dialects: number;

  /** At most so many roots. */
  readonly roots: number;
  /** Share of requests that leave the choice of a Crossplane release open. */
  readonly freeCrossplane: number;
  /** Share of roots that ask for a CRD of any package. */
  readonly crdRoots: number;
  /** Share of roots that are a package under development. */
  readonly localRoots: number;
  /** Share of requests with an override. */
  readonly overrides: number;
  /** Share of requests with a replacement. */
  readonly replace: number;
  /** Share of requests with an exclusion. */
  readonly exclude: number;
  /** Share of requests with a policy. */
  readonly policies: number;
  /** Share of requests that bring a lockfile. */
  readonly locked: number;
}

export const DEFAULT_KNOBS: Knobs = {
  packages: 9,
  versions: 4,
  depth: 4,
  prereleases: 0.1,
  digests: 0.02,
  undigested: 0,
  crossplane: 0.2,
  sharedCrds: 0.06,
  families: 0.15,
  aliases: 0.1,
  cycles: 0.02,
  missing: 0.015,
  kindMismatches: 0.02,
  explicit: 0.1,
  incompleteTags: 0.08,
  oddTags: 0.08,
  unsatisfiable: 0.02,
  phantoms: 0.02,
  invalid: 0.015,
  dialects: 0.06,
  roots: 4,
  freeCrossplane: 0.1,
  crdRoots: 0.06,
  localRoots: 0.05,
  overrides: 0.12,
  replace: 0.08,
  exclude: 0.12,
  policies: 0.05,
  locked: 0.2,
};
