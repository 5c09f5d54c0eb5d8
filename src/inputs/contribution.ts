import type {
  CrdRoot,
  KeptObject,
  LocalRoot,
  PackageRoot,
  Replacement,
  Request,
  VersionRule,
} from '../model/request.js';
import type { Origin, Repository } from '../model/package.js';
import type { JsonObject } from '../text/json.js';
import type { PackageObject } from '../model/package-contents.js';

/** A package root as one document states it; what defaults may still change is left to `combine`. */
export type PackageRootDraft = Omit<
  PackageRoot,
  'ignoreCrossplaneConstraints' | 'skipDependencyResolution'
>;

/** What one document, or one reference on the command line, adds to a request. */
export interface Contribution {
  readonly crossplane?: { readonly text: string; readonly origin: Origin } | undefined;
  /** Files of other PackageSets that this one stands over. */
  readonly include?: readonly { readonly path: string; readonly origin: Origin }[] | undefined;
  readonly crossplanes?: Request['crossplanes'];
  readonly allowUndigested?: boolean | undefined;
  readonly policies?: NonNullable<Request['policies']>;
  readonly roots?: readonly (PackageRootDraft | LocalRoot | CrdRoot)[];
  readonly overrides?: readonly VersionRule[];
  readonly replace?: readonly Replacement[];
  readonly exclude?: readonly VersionRule[];
  readonly defaults?: { readonly spec: JsonObject; readonly origin: Origin } | undefined;
  readonly kept?: readonly KeptObject[];
  readonly prereleases?: readonly Repository[];
  /** An object that belongs to a local package, if one is found beside it. */
  readonly owned?: { readonly object: PackageObject; readonly origin: Origin } | undefined;
  /** Nothing is asked by it: worth a note, or an error with `--strict`. */
  readonly ignored?: { readonly what: string; readonly origin: Origin } | undefined;
  readonly notes?: readonly string[];
}
