import type { Definition } from './definition.js';
import type { JsonValue } from '../text/json.js';

/**
 * Packages without their bytes: what an `index:` file holds, and what a test writes down.
 *
 * Keys of `packages` are repositories spelled as in dependsOn; keys of `versions` are tags, or
 * digests for what no tag names.
 */
export interface IndexFile {
  readonly packages: Readonly<Record<string, IndexPackage>>;
}

export interface IndexPackage {
  readonly kind: string;
  readonly versions: Readonly<Record<string, IndexVersion>>;
}

/** Every field is optional: an absent list is empty, an absent apiVersion is not known. */
export interface IndexVersion {
  /** The Crossplane constraint. */
  readonly crossplane?: string | undefined;
  readonly digest?: string | undefined;
  /** Verbatim from the package. */
  readonly dependsOn?: readonly JsonValue[] | undefined;
  readonly crds?: readonly string[] | undefined;
  readonly xrds?: readonly IndexXrd[] | undefined;
  readonly compositions?: readonly string[] | undefined;

  /** Objects that `crds`, `xrds` and `compositions` have no room for. */
  readonly objects?: readonly IndexObject[] | undefined;
  /** What the CRDs of `crds` define, by CRD name, where known. */
  readonly defines?: Readonly<Record<string, Definition>> | undefined;
  /** Where it is not the package's. */
  readonly kind?: string | undefined;
  /** Of the meta document. */
  readonly apiVersion?: string | undefined;
  /** `metadata.name`; absent: the last part of the repository. */
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly capabilities?: readonly string[] | undefined;
  /** `spec.crossplane` as written, where it is anything but `{version: <string>}`. */
  readonly crossplaneAsWritten?: JsonValue | undefined;
  readonly decodeError?: string | undefined;
  /** Why no Crossplane release can read it. */
  readonly problems?: readonly string[] | undefined;
  /** When its image says that it was made, as in RFC 3339. */
  readonly created?: string | undefined;
  /** When an index that was kept up to date first saw it. */
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
