import { byCodePoint } from '../../base/collections.js';
import type { Digest } from '../../base/digest.js';
import type { JsonObject } from '../../base/json.js';
import { plainSpec } from '../../crossplane/packages/object-spec.js';
import type { OwnedObject } from '../../crossplane/packages/owned-objects.js';
import type { Requirement } from '../../crossplane/packages/package-meta.js';
import type { LockedParts, PackageKind, Repository } from '../../crossplane/packages/package.js';
import type { IndexState } from '../../sources/package-source.js';

/** Version of the format of `xpkg.lock.yaml`. Newer versions are rejected. */
export const LOCKFILE_VERSION = 1;

/** The content of `xpkg.lock.yaml`: all that rendering needs, without sources or inputs. */
export interface Lockfile {
  readonly crossplane: string;
  /** The project that the lockfile belongs to; undefined if it is not recorded. */
  readonly inputs?: LockInputs | undefined;
  /** Sorted by repository. */
  readonly packages: readonly LockedPackage[];
  /** ImageConfigs, runtime configs and activation policies of the user, in the given order. */
  readonly objects: readonly JsonObject[];
  /** States of the indexes that were used, in order; empty or undefined if not recorded. */
  readonly indexes?: readonly IndexState[] | undefined;
  /** Reasons why every object has `skipDependencyResolution: true`; empty if none has. */
  readonly skipDependencyResolution: readonly string[];
}

export interface LockedPackage {
  readonly repository: Repository;
  /** Tag, or the digest if the package is required by digest. */
  readonly version: string;
  /** Digest that the tag pointed to; undefined only with `--allow-undigested`. */
  readonly digest: Digest | undefined;
  readonly manifest: Digest | undefined;
  readonly baseLayer: Digest | undefined;
  readonly packageYaml: Digest | undefined;
  /** The verified signature (`--require-signatures`); undefined if it was not verified. */
  readonly signature?: LockedSigner | undefined;
  /**
   * Prefixes of the published tags that begin with `version` and are longer: `version` plus one
   * character, sorted. Undefined if the tags were not read (`--pin locked` reads them).
   */
  readonly longerTags?: readonly string[] | undefined;
  readonly kind: PackageKind;
  /** Name of the object. */
  readonly name: string;
  /** Whether a root names the package. */
  readonly direct: boolean;
  readonly crossplane: string | undefined;
  /** Requirements in `dependsOn` order, without line numbers. */
  readonly requirements: readonly Requirement[];
  /** Sorted by kind, then name. */
  readonly owns: readonly OwnedObject[];
  /** Metadata and spec that the user sets on the object, merged. */
  readonly object: ObjectTemplate;
}

/** Returns packages by their repositories; none for undefined. */
export function byRepository<Package extends { readonly repository: Repository }>(
  packages: readonly Package[] = [],
): ReadonlyMap<Repository, Package> {
  return new Map(packages.map((each) => [each.repository, each]));
}

/** Returns the locked package of a repository, if there is one. */
export function lockedIn(
  { packages }: Lockfile,
  repository: Repository,
): LockedPackage | undefined {
  return packages.find((locked) => locked.repository === repository);
}

/** Whether the `spec` of the package object differs, apart from the package itself. */
export function hasOtherSettings(a: LockedPackage, b: LockedPackage): boolean {
  const [one, other] = [a, b].map(({ object }) => JSON.stringify(plainSpec(object.spec)));
  return one !== other;
}

/**
 * Returns whether one object of the cluster installs both. If not, the cluster deletes the old
 * package object and every object that no other package owns.
 */
export function isSameInstallation(a: LockedPackage, b: LockedPackage): boolean {
  return a.repository === b.repository && a.kind === b.kind && a.name === b.name;
}

/** Returns whether new revisions of the package stay inactive until a user activates them. */
export function isActivatedManually({ object }: LockedPackage): boolean {
  return object.spec['revisionActivationPolicy'] === 'Manual';
}

/** Returns whether the package uses a ControllerConfig, which Crossplane v2 does not have. */
export function usesControllerConfig({ object }: LockedPackage): boolean {
  return object.spec['controllerConfigRef'] !== undefined;
}

/** Returns the digests of the package image. */
export function lockedParts({ digest, manifest, baseLayer }: LockedPackage): LockedParts {
  return { digest, manifest, baseLayer };
}

/** The signer of an image, and the policy that accepts the signature. */
export interface LockedSigner {
  /** Name of the ImageConfig. */
  readonly policy: string;
  readonly authority: string;
  /** Digest of the key; undefined if the signer has a certificate. */
  readonly key?: Digest | undefined;
  readonly subject?: string | undefined;
  readonly issuer?: string | undefined;
  /** Type of the attestation; undefined for a signature. */
  readonly predicateType?: string | undefined;
  /** Digest of the signature. */
  readonly digest: Digest;
}

export interface ObjectTemplate {
  /** `apiVersion` of the user's object; undefined for the default of the target. */
  readonly apiVersion: string | undefined;
  /** `labels` and `annotations` of the user's object. */
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  /**
   * Whether `spec.package` is rendered without a tag, as the user wrote it. With
   * `packagePullPolicy: Never` it is a file name in the package cache of the cluster, so `name` and
   * `name:latest` differ.
   */
  readonly untagged?: boolean | undefined;
}

/** The project that a lockfile belongs to. */
export interface LockInputs {
  /** `metadata.name` of the PackageSet or package; undefined if it has none. */
  readonly name?: string | undefined;
  /** Paths of the input files relative to the lockfile, with forward slashes, in given order. */
  readonly files: readonly string[];
}

/** Returns whether two projects differ: they have different names and no common file. */
export function isOtherProject(a: LockInputs | undefined, b: LockInputs | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  const hasOtherName = a.name === undefined || a.name !== b.name;
  return hasOtherName && !a.files.some((file) => b.files.includes(file));
}

/** Formats a project for messages: `platform (xpkg.yaml)`. */
export function projectText({ name, files }: LockInputs): string {
  const shown = files.slice(0, 3).join(', ') + (files.length > 3 ? ', …' : '');
  if (name === undefined) return `\`${shown}\``;
  return shown === '' ? `\`${name}\`` : `\`${name}\` (${shown})`;
}

/** A package that was added, removed, or changed to another version or digest. */
export interface Change {
  readonly repository: Repository;
  /** Old version; undefined if the package is new. */
  readonly from: string | undefined;
  /** New version; undefined if the package was removed. */
  readonly to: string | undefined;
  /** Old and new digest of a version that is unchanged. */
  readonly movedTag?: { readonly from: Digest; readonly to: Digest } | undefined;
}

/** Returns the differences between two lockfiles, by package. */
export function changesBetween(before: Lockfile | undefined, after: Lockfile): Change[] {
  const old = byRepository(before?.packages);
  const current = byRepository(after.packages);
  const repositories = [...new Set([...old.keys(), ...current.keys()])].sort(byCodePoint);
  return repositories.flatMap((repository): Change[] => {
    const [a, b] = [old.get(repository), current.get(repository)];
    const change = { repository, from: a?.version, to: b?.version };
    if (a?.version !== b?.version) return [change];
    // If a digest is unknown, the tag may or may not have moved.
    const [from, to] = [a?.digest, b?.digest];
    if (from === undefined || to === undefined || from === to) return [];
    return [{ ...change, movedTag: { from, to } }];
  });
}
