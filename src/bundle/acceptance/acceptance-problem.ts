/** What a cluster demands of the objects it is given; each is a reason to refuse or to get stuck. */
export type AcceptanceRule =
  /** One object for each source. */
  | 'source-repeated'
  /** The objects are those of the lockfile. */
  | 'not-as-locked'
  /** Everything that a package depends on is installed, in that very spelling. */
  | 'dependency-missing'
  | 'dependency-kind'
  /** It is installed at a version that its dependents' constraints admit. */
  | 'dependency-version'
  /** A digest satisfies no range, so what others depend on is no root by digest. */
  | 'root-by-digest'
  | 'dependency-cycle'
  /** All packages skip dependency resolution, or none does. */
  | 'mixed-skips'
  | 'crossplane-constraint'
  | 'two-owners'
  /** `spec.package` passes the target's API server and parser. */
  | 'package-reference'
  /** A tag that ImageConfigs pin is pulled as the locked digest. */
  | 'image-pin'
  | 'object-name'
  /** The Lock is the one that the package manager would write. */
  | 'lock-row'
  /** Dependencies come first, and other objects before packages. */
  | 'apply-order';

/** A rule that output breaks. */
export interface AcceptanceProblem {
  readonly rule: AcceptanceRule;
  readonly message: string;
}
