import type { Policy } from './policy.js';
import type { Origin } from '../../base/errors.js';
import type { JsonObject, JsonValue } from '../../base/json.js';
import type { KeptObject } from '../../crossplane/package-manager/image-config.js';
import type { CrdRef } from '../../crossplane/packages/crd-ref.js';
import type { PackageObject } from '../../crossplane/packages/package-contents.js';
import type { Candidate, PackageKind, Repository } from '../../crossplane/packages/package.js';

/** The packages that a resolution must install and the rules for choosing them. */
export interface Request {
  /** `spec.crossplane` of a PackageSet: an exact release or a constraint. A flag overrides it. */
  readonly crossplane?: { readonly text: string; readonly origin: Origin } | undefined;
  /** Roots in the given order, which may change the answer. */
  readonly roots: readonly Root[];
  readonly overrides: readonly VersionRule[];
  readonly replace: readonly Replacement[];
  readonly exclude: readonly VersionRule[];
  /** Fields merged into the spec of every rendered package object. */
  readonly defaults: JsonObject;
  /**
   * ImageConfigs, runtime configs, ControllerConfigs and activation policies, in the given order.
   */
  readonly kept: readonly KeptObject[];
  /** Packages whose prereleases are allowed, as with `--prerelease`. */
  readonly prereleases?: readonly Repository[];
  /** Releases or ranges of releases that the project supports. `matrix` checks them. */
  readonly crossplanes?: { readonly texts: readonly string[]; readonly origin: Origin } | undefined;
  /** Policies, all of which apply. */
  readonly policies?: readonly Policy[] | undefined;
  /** Whether versions with an unknown digest may be locked. */
  readonly allowUndigested?: boolean | undefined;
}

export type Root = PackageRoot | LocalRoot | CrdRoot;

export interface PackageRoot {
  readonly root: 'package';
  readonly repository: Repository;
  /** Kind; undefined if it is read from the package. */
  readonly kind: PackageKind | undefined;
  readonly version: RootVersion;
  /** Name of the object, if the user chose one. */
  readonly name: string | undefined;
  /** Fields merged into the rendered spec. */
  readonly spec: JsonObject;
  /** The input object of this root, whose other fields are rendered too. */
  readonly object: JsonObject | undefined;
  /** Whether the file allows a tag or digest but no range; undefined: true for an `object`. */
  readonly takesNoRange?: boolean | undefined;
  readonly ignoreCrossplaneConstraints: boolean;
  readonly skipDependencyResolution: boolean;
  /** Whether the command names the package (`add`). No suggestion changes or removes it. */
  readonly isNamed?: boolean | undefined;
  readonly origin: Origin;
}

/**
 * `tag`: exactly this tag. `digest`: exactly this image. `text`: a constraint if the dialect of the
 * target can parse it, otherwise a tag.
 */
export type RootVersion =
  | { readonly form: 'tag'; readonly tag: string }
  | { readonly form: 'digest'; readonly digest: string }
  | { readonly form: 'text'; readonly text: string };

/** Returns the tag, digest or constraint of a root, as an input file has it. */
export function rootVersionText(version: RootVersion): string {
  switch (version.form) {
    case 'tag':
      return version.tag;
    case 'digest':
      return version.digest;
    case 'text':
      return version.text;
  }
}

/** A package under development. Its requirements count, but it is not rendered. */
export interface LocalRoot {
  readonly root: 'local';
  readonly kind: PackageKind;
  readonly name: string;
  readonly crossplane: string | undefined;
  /** `dependsOn` entries, unchanged, with their origins. */
  readonly dependsOn: readonly { readonly entry: JsonValue; readonly origin: Origin }[];
  /** Fields of its package metadata that no known release has. */
  readonly unknownFields?: readonly { readonly message: string; readonly origin: Origin }[];
  /** XRDs, Compositions and CRDs that the package would own. */
  readonly objects: readonly LocalObject[];
  readonly origin: Origin;
}

/** An object of a package under development. */
export interface LocalObject extends PackageObject {
  readonly origin?: Origin | undefined;
}

/** A required API, which any package may provide. */
export interface CrdRoot {
  readonly root: 'crd';
  readonly demand: CrdRef;
  readonly origin: Origin;
}

export interface VersionRule {
  readonly repository: Repository;
  /** Constraint, tag or digest. */
  readonly version: string;
  readonly origin: Origin;
}

export interface Replacement {
  readonly repository: Repository;
  readonly with: Repository;
  readonly origin: Origin;
}

/** Returns the replacement of a repository, or the repository itself. */
export function replacedRepository({ replace }: Request, named: Repository): Repository {
  return replace.findLast(({ repository }) => repository === named)?.with ?? named;
}

/** Returns the override that decides the version of a package, or undefined. */
export function overrideOf(
  { overrides }: Request,
  repository: Repository,
): VersionRule | undefined {
  return overrides.findLast((rule) => rule.repository === repository);
}

/** A change to the request. `at` is the origin of the entry to change. */
export type RequestEdit =
  | {
      readonly edit: 'version';
      readonly at: Origin;
      readonly repository: Repository;
      /** Constraint, tag or digest. */
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
      /** The root that requires the package; undefined if another package requires it. */
      readonly at: Origin | undefined;
      readonly repository: Repository;
    }
  | { readonly edit: 'override'; readonly repository: Repository; readonly version: string }
  | { readonly edit: 'replace'; readonly repository: Repository; readonly with: Repository }
  /** Versions that may have any age; `at` is the origin of the minimum age. */
  | {
      readonly edit: 'age-exceptions';
      readonly at: Origin;
      readonly versions: readonly Candidate[];
    }
  | { readonly edit: 'crossplane'; readonly version: string }
  | { readonly edit: 'allow-cycles' };
