import type { Digest } from '../../base/digest.js';

/**
 * OCI image name without tag or digest, as written. A Lock calls it `source`.
 *
 * Any string may be one; `repositoryProblem` returns whether a release accepts it. The brand, which
 * no value has, only prevents the use of a digest as a repository.
 */
export type Repository = string & { readonly brand?: 'Repository' };

export const PACKAGE_KINDS = ['Provider', 'Configuration', 'Function'] as const;
export type PackageKind = (typeof PACKAGE_KINDS)[number];

export function isPackageKind(text: string): text is PackageKind {
  return (PACKAGE_KINDS as readonly string[]).includes(text);
}

/** A published package. `version` is a tag, as written in the registry, or a digest. */
export interface Candidate {
  readonly repository: Repository;
  readonly version: string;
}

/** The digests of an image at the time it was locked. */
export interface LockedParts {
  readonly digest: Digest | undefined;
  /** The manifest chosen from the index; undefined if the image has no index. */
  readonly manifest: Digest | undefined;
  readonly baseLayer: Digest | undefined;
}

/** The release times of a version, if known to a source, in RFC 3339. */
export interface Released {
  readonly created?: string | undefined;
  /** The time when a continuously updated index first contained it. */
  readonly firstSeen?: string | undefined;
}
