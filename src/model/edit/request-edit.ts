import type { Candidate, Origin, PackageKind, Repository } from '../package.js';

/**
 * One change to what the user asks for. `at` is where the entry stands that changes: a root, or a
 * rule of a PackageSet.
 */
export type RequestEdit =
  | {
      readonly edit: 'version';
      readonly at: Origin;
      readonly repository: Repository;
      /** A constraint, a tag or a digest. */
      readonly version: string;
    }
  | { readonly edit: 'kind'; readonly at: Origin; readonly kind: PackageKind }
  | {
      readonly edit: 'repository';
      readonly at: Origin;
      readonly from: Repository;
      readonly to: Repository;
    }
  | { readonly edit: 'remove'; readonly at: Origin }
  | {
      readonly edit: 'prerelease';
      /** The root that asks for the package; undefined: another package does. */
      readonly at: Origin | undefined;
      readonly repository: Repository;
    }
  | { readonly edit: 'override'; readonly repository: Repository; readonly version: string }
  | { readonly edit: 'replace'; readonly repository: Repository; readonly with: Repository }
  /** Versions that may be chosen whatever their age; `at`: the minimum age of the policy. */
  | {
      readonly edit: 'age-exceptions';
      readonly at: Origin;
      readonly versions: readonly Candidate[];
    }
  | { readonly edit: 'crossplane'; readonly version: string }
  | { readonly edit: 'allow-cycles' };
