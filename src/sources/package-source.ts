import type { Digest } from '../base/digest.js';
import type { CrdRef } from '../crossplane/packages/crd-ref.js';
import type { PackageContents } from '../crossplane/packages/package-contents.js';
import type {
  Candidate,
  LockedParts,
  Released,
  Repository,
} from '../crossplane/packages/package.js';
import type { ReleaseRules } from '../crossplane/releases/release-facts.js';

/** A package version in a source. Every digest is `sha256:` and 64 lower-case hex digits. */
export interface FetchedPackage {
  readonly contents: PackageContents;
  /** Digest that the tag points at, of the index if there is one; undefined in an index file. */
  readonly digest: string | undefined;
  /** Manifest chosen from the index; undefined if there is no index. */
  readonly manifest?: string | undefined;
  readonly baseLayer?: string | undefined;
  /** SHA-256 of the package.yaml bytes. */
  readonly packageYaml?: string | undefined;
  /** Artifact type, if it is not a package but something that is stored with packages. */
  readonly artifact?: string | undefined;
  /** Why a cluster of the target cannot read the image that was built from a folder. */
  readonly unreadable?: string | undefined;
  /** Notes for the user, such as on a layer that had to be flattened. */
  readonly notes?: readonly string[] | undefined;
}

/** A requested package with its known parts. */
export interface AskedPackage extends Candidate {
  /** Parts that a remote source may prefetch. They are not trusted. */
  readonly parts?: LockedParts | undefined;
}

/** The versions of a repository that own a CRD. */
export interface Owner {
  readonly repository: Repository;
  readonly versions: readonly string[];
}

/** The state of a sparse index, which is recorded in the lockfile. */
export interface IndexState {
  /** Location as named by the user: `index:oci://registry.example.org/team/index:v1`. */
  readonly from: string;
  readonly digest: Digest;
}

/**
 * Where packages come from: a registry, a folder, an index, the memory of a test.
 *
 * During one resolution, an implementation must return the same result for the same arguments, so
 * that the solver is deterministic. A result may depend on the rules of the release: they can define
 * where a package is located (default registry, ImageConfigs), which versions exist and how an
 * image is read. Releases with the same rules share results, so the version is not an argument.
 * Failures (network, integrity) throw `SourceError`; a missing package is `undefined`.
 */
export interface PackageSource {
  /** Whether requests are slow but can run in parallel, so that prefetching pays off. */
  readonly distant?: boolean;
  /** States of the sparse indexes behind this source, constant while it is open. */
  readonly states?: readonly IndexState[];
  /** Returns every tag, in any order, semver or not, or undefined if the repository is unknown. */
  tags(repository: Repository, target: ReleaseRules): Promise<readonly string[] | undefined>;
  /** Reads package.yaml and nothing else. Returns undefined if there is no such version. */
  fetch(candidate: AskedPackage, target: ReleaseRules): Promise<FetchedPackage | undefined>;
  /**
   * Returns the dates of a version, or undefined if there is no such version. Called only if a
   * policy needs them. A source without this method has no dates.
   */
  released?(candidate: Candidate, target: ReleaseRules): Promise<Released | undefined>;
  /** Returns the owners of a CRD, sorted by repository. Optional: needs a list of packages. */
  owners?(crdRef: CrdRef, target: ReleaseRules): Promise<readonly Owner[]>;
  /**
   * Returns every known repository, sorted. Optional: needs a list of packages. With `about`,
   * repositories may be omitted if neither their name nor their APIs match.
   */
  repositories?(about?: string): Promise<readonly Repository[]>;
}

/** Returns the dates of a version, or an empty object if the source has no dates. */
export async function readReleaseDates(
  source: PackageSource,
  candidate: Candidate,
  target: ReleaseRules,
): Promise<Released | undefined> {
  if (source.released !== undefined) return source.released(candidate, target);
  return (await source.fetch(candidate, target)) && {};
}
