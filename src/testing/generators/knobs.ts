import * as fc from 'fast-check';

const DEFAULTS = {
  /** Maximum number of packages, without aliases, family and monolith. */
  packages: 9,
  /** Maximum number of versions of each package, without odd tags. */
  versions: 4,
  /** Maximum length of a chain of dependencies, without cycles. */
  depth: 4,
  /** Share of versions that are prereleases. */
  prereleases: 0.1,
  /** Share of requirements that name a digest. */
  digests: 0.02,
  /** Share of versions with an unknown digest. */
  undigested: 0,
  /** Share of versions that constrain Crossplane. */
  crossplane: 0.2,
  /** Share of versions that also own an object of another package. */
  sharedCrds: 0.06,
  /** Share of versions whose Compositions have no pipeline, which Crossplane v2 rejects. */
  resourceCompositions: 0.03,
  /** Share of universes with a provider family and the monolith that it replaces. */
  families: 0.15,
  /** Share of universes with a package in two registries, or under two names of Docker Hub. */
  aliases: 0.1,
  /** Share of versions that require themselves or a package that may require them. */
  cycles: 0.02,
  /** Share of dependencies on an unpublished package. */
  missing: 0.015,
  /** Share of dependencies with the wrong kind of package. */
  kindMismatches: 0.02,
  /** Share of dependencies written with `apiVersion`, `kind` and `package`. */
  explicit: 0.1,
  /** Share of packages with a tag such as `v1` or `1.2`. */
  incompleteTags: 0.08,
  /** Share of packages with a tag such as `latest`, or with two spellings of one version. */
  oddTags: 0.08,
  /** Share of constraints that no version can satisfy. */
  unsatisfiable: 0.02,
  /** Share of constraints on a version that was never published. */
  phantoms: 0.02,
  /** Share of constraints that no dialect can parse. */
  invalid: 0.015,
  /** Share of constraints that Crossplane's two semver dialects read differently. */
  dialects: 0.06,

  /** Maximum number of roots. */
  roots: 4,
  /** Share of requests without a fixed Crossplane release. */
  freeCrossplane: 0.1,
  /** Share of roots that require a CRD. */
  crdRoots: 0.06,
  /** Share of roots that are a package under development. */
  localRoots: 0.05,
  /** Share of requests with an override. */
  overrides: 0.12,
  /** Share of requests with a replacement. */
  replace: 0.08,
  /** Share of requests with an exclusion. */
  exclude: 0.12,
  /** Share of requests with a policy. */
  policies: 0.05,
  /** Share of requests with a lockfile. */
  locked: 0.2,
};

/** Parameters of generated universes. Shares are between 0 (never) and 1 (always). */
export type Knobs = { readonly [K in keyof typeof DEFAULTS]: number };

export const DEFAULT_KNOBS: Knobs = DEFAULTS;

/** Draws from `arbitrary` with the given probability, otherwise undefined. Shrinks to undefined. */
export function sometimes<T>(
  share: number,
  arbitrary: fc.Arbitrary<T>,
): fc.Arbitrary<T | undefined> {
  const weight = Math.round(Math.min(Math.max(share, 0), 1) * 1000);
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 1000 - weight, arbitrary: fc.constant(undefined) },
    { weight, arbitrary },
  );
}

/** Draws one of several values by weight. Shrinks to the first. */
export function weighted<T>(
  ...choices: readonly (readonly [weight: number, value: T])[]
): fc.Arbitrary<T> {
  return fc.oneof(
    { withCrossShrink: true },
    ...choices.map(([weight, value]) => ({
      weight: Math.round(weight * 1000),
      arbitrary: fc.constant(value),
    })),
  );
}

/** Draws a number for `pickFrom` to select an element of a later list. Shrinks to the first. */
export function pick(): fc.Arbitrary<number> {
  // 60 is divisible by most small counts.
  return fc.nat({ max: 59 });
}

/** Returns the element for a number drawn by `pick`; undefined for an empty list. */
export function pickFrom<T>(n: number, from: readonly T[]): T | undefined {
  return from[n % from.length];
}
