import type { CompositionSpec, Definition } from '../../crossplane/packages/package-contents.js';
import type { JsonValue } from '../../base/json.js';

/**
 * Package metadata, as in an `index:` file or a test.
 *
 * Keys of `packages` are repositories as written in dependsOn. Keys of `versions` are tags, or
 * digests for untagged images.
 */
export interface IndexFile {
  readonly packages: Readonly<Record<string, IndexPackage>>;
}

export interface IndexPackage {
  readonly kind: string;
  readonly versions: Readonly<Record<string, IndexVersion>>;
}

/** Every field is optional: an absent list is empty, an absent apiVersion is unknown. */
export interface IndexVersion {
  /** Constraint on the Crossplane version. */
  readonly crossplane?: string | undefined;
  readonly digest?: string | undefined;
  /** Copied unchanged from the package. */
  readonly dependsOn?: readonly JsonValue[] | undefined;
  readonly crds?: readonly string[] | undefined;
  readonly xrds?: readonly IndexXrd[] | undefined;
  readonly compositions?: readonly string[] | undefined;
  /** Properties that decide which releases accept a Composition, by name, if known. */
  readonly compositionSpecs?: Readonly<Record<string, CompositionSpec>> | undefined;

  /** Objects that do not fit into `crds`, `xrds` and `compositions`. */
  readonly objects?: readonly IndexObject[] | undefined;
  /** Resources that the CRDs define, by CRD name, if known. */
  readonly defines?: Readonly<Record<string, Definition>> | undefined;
  /** Kind, if it differs from that of the package. */
  readonly kind?: string | undefined;
  /** apiVersion of the meta document. */
  readonly apiVersion?: string | undefined;
  /** `metadata.name`; by default the last segment of the repository. */
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly capabilities?: readonly string[] | undefined;
  /** `spec.crossplane` as written, unless it is `{version: <string>}`. */
  readonly crossplaneAsWritten?: JsonValue | undefined;
  readonly decodeError?: string | undefined;
  /** Reasons why no Crossplane release can read the package. */
  readonly problems?: readonly string[] | undefined;
  /** Creation time that the image claims (RFC 3339). */
  readonly created?: string | undefined;
  /** Time when an updated index first contained the version (RFC 3339). */
  readonly firstSeen?: string | undefined;
  readonly manifest?: string | undefined;
  readonly baseLayer?: string | undefined;
  readonly packageYaml?: string | undefined;
}

export interface IndexXrd {
  readonly name: string;
  /** Name of the claim CRD. */
  readonly claim?: string | undefined;
  readonly claimKind?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly defines?: Definition | undefined;
}

export interface IndexObject {
  readonly apiVersion?: string | undefined;
  readonly kind: string;
  readonly name: string;
  readonly claim?: string | undefined;
  readonly claimKind?: string | undefined;
  readonly defines?: Definition | undefined;
}
