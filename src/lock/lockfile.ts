import type { LockedParts, PackageKind, Repository } from '../model/package.js';
import type { JsonObject } from '../text/json.js';
import type { Digest } from '../text/digest.js';
import type { Requirement } from '../model/package-meta.js';
import type { IndexState } from '../model/package-source.js';
import type { OwnedObject } from '../model/owned-object.js';

/** Version of the format of `xpkg.lock.yaml`; a reader refuses a newer one. */
export const LOCKFILE_VERSION = 1;

/**
 * The answer, as `xpkg.lock.yaml` keeps it: enough to render the bundle and the Lock from this
 * alone, with no source and no input at hand.
 */
export interface Lockfile {
  /** The Crossplane release it is for. */
  readonly crossplane: string;
  /** Sorted by repository. */
  readonly packages: readonly LockedPackage[];
  /** ImageConfigs, runtime configs and activation policies the user gave, in the order given. */
  readonly objects: readonly JsonObject[];
  /** States of the indexes that it was resolved from, in the order asked; empty: not recorded. */
  readonly indexes?: readonly IndexState[] | undefined;
  /** Why every object carries `skipDependencyResolution: true`; empty: none does. */
  readonly skipDependencyResolution: readonly string[];
}

export interface LockedPackage {
  readonly repository: Repository;
  /** Tag, or the digest where the package is demanded by digest. */
  readonly version: string;
  /** What the tag pointed at; undefined only with `--allow-undigested`. */
  readonly digest: Digest | undefined;
  readonly manifest: Digest | undefined;
  readonly baseLayer: Digest | undefined;
  readonly packageYaml: Digest | undefined;
  /** How its signature was verified (`--require-signatures`); undefined: it was not. */
  readonly signature?: LockedSigner | undefined;
  /**
   * What published tags begin with that begin as `version` does and are longer: `version` and one
   * character more, sorted; empty: none is published; undefined: tags were not asked for, as `--pin locked` does.
   */
  readonly longerTags?: readonly string[] | undefined;
  readonly kind: PackageKind;
  /** Name of the object. */
  readonly name: string;
  /** A root named it. */
  readonly direct: boolean;
  readonly crossplane: string | undefined;
  /** In dependsOn order; the file keeps no line numbers, which say nothing without the package. */
  readonly requirements: readonly Requirement[];
  /** Sorted by kind, then name. */
  readonly owns: readonly OwnedObject[];
  /** What the user wants on the object beside its package: metadata and spec, merged already. */
  readonly object: ObjectTemplate;
}

/** What the image of a package was made of. */
export function lockedParts({ digest, manifest, baseLayer }: LockedPackage): LockedParts {
  return { digest, manifest, baseLayer };
}

/** Who signed an image, and by which policy that suffices. */
export interface LockedSigner {
  /** Name of the ImageConfig. */
  readonly policy: string;
  readonly authority: string;
  /** Of the key; undefined: the signer has a certificate. */
  readonly key?: Digest | undefined;
  readonly subject?: string | undefined;
  readonly issuer?: string | undefined;
  /** Of the attestation; undefined: it is a signature. */
  readonly predicateType?: string | undefined;
  /** Of the signature. */
  readonly digest: Digest;
}

export interface ObjectTemplate {
  /** apiVersion the user's object had; undefined: the target's own. */
  readonly apiVersion: string | undefined;
  /** `labels` and `annotations` of the user's metadata, and nothing else. */
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}
