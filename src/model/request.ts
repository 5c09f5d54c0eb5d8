import type { Origin, PackageKind, Repository } from './package.js';
import type { JsonObject, JsonValue } from '../text/json.js';
import type { CrdDemand } from './crd-demand.js';
import type { PackageObject } from './package-contents.js';
import type { Policy } from './policy/policy.js';

/** Everything a resolution is asked for, read from files and the command line. */
export interface Request {
  /** `spec.crossplane` of a PackageSet: an exact release or a constraint; a flag beats it. */
  readonly crossplane?: { readonly text: string; readonly origin: Origin } | undefined;
  /** In the order given: this order is input, and may change the answer. */
  readonly roots: readonly Root[];
  readonly overrides: readonly VersionRule[];
  readonly replace: readonly Replacement[];
  readonly exclude: readonly VersionRule[];
  /** Merged into the spec of every rendered package object. */
  readonly defaults: JsonObject;
  /** ImageConfigs, DeploymentRuntimeConfigs and activation policies, verbatim, in the order given. */
  readonly kept: readonly KeptObject[];
  /** Packages whose prereleases are admitted, as with `--prerelease`. */
  readonly prereleases?: readonly Repository[];
  /** Releases, or ranges of them, that the set is meant to work on: those that `matrix` looks at. */
  readonly crossplanes?: { readonly texts: readonly string[]; readonly origin: Origin } | undefined;
  /** What may be chosen at all; each of them holds. */
  readonly policies?: readonly Policy[] | undefined;
  /** Versions whose digest no source knows may be locked. */
  readonly allowUndigested?: boolean | undefined;
}

export type Root = PackageRoot | LocalRoot | CrdRoot;

export interface PackageRoot {
  readonly root: 'package';
  readonly repository: Repository;
  /** undefined: read from the package. */
  readonly kind: PackageKind | undefined;
  readonly version: RootVersion;
  /** The object's name, where the user chose one. */
  readonly name: string | undefined;
  /** Merged into the rendered spec. */
  readonly spec: JsonObject;
  /** The input object this root came from, whose other fields the bundle keeps. */
  readonly object: JsonObject | undefined;
  /** The file has room for a tag or a digest, and none for a range; undefined: as `object` has. */
  readonly takesNoRange?: boolean | undefined;
  readonly ignoreCrossplaneConstraints: boolean;
  readonly skipDependencyResolution: boolean;
  readonly origin: Origin;
}

/**
 * `tag`: exactly this tag (an input object, `SOURCE:TAG`). `digest`: exactly these bytes.
 * `text`: a constraint if the target's dialect reads it as one, else a tag.
 */
export type RootVersion =
  | { readonly form: 'tag'; readonly tag: string }
  | { readonly form: 'digest'; readonly digest: string }
  | { readonly form: 'text'; readonly text: string };

/** A package under development: what it requires counts, it is not itself rendered. */
export interface LocalRoot {
  readonly root: 'local';
  readonly kind: PackageKind;
  readonly name: string;
  readonly crossplane: string | undefined;
  /** dependsOn entries, verbatim, with the place of each. */
  readonly dependsOn: readonly { readonly entry: JsonValue; readonly origin: Origin }[];
  /** What it would own: XRDs, Compositions and CRDs found beside it. */
  readonly objects: readonly PackageObject[];
  readonly origin: Origin;
}

/** An API that must be there, whichever package owns it. */
export interface CrdRoot {
  readonly root: 'crd';
  readonly demand: CrdDemand;
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

export interface KeptObject {
  readonly object: JsonObject;
  readonly origin: Origin;
}

/** What is installed where a repository is named: what the request replaces it with, or itself. */
export function replacedRepository({ replace }: Request, named: Repository): Repository {
  return replace.findLast(({ repository }) => repository === named)?.with ?? named;
}

/** What decides the version of a package, whatever else is asked of it; undefined: nothing does. */
export function overrideOf(
  { overrides }: Request,
  repository: Repository,
): VersionRule | undefined {
  return overrides.findLast((rule) => rule.repository === repository);
}
