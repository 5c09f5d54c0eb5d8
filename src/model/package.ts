import type { Digest } from '../text/digest.js';
import type { Path } from '../text/yaml/path.js';

/**
 * OCI image name without tag or digest, spelled as written; a Lock calls it `source`.
 *
 * Any string may be one: which spellings a release takes, `repositoryProblem` tells. The mark, which
 * no value has, only keeps the compiler from taking a digest for a repository.
 */
export type Repository = string & { readonly brand?: 'Repository' };

export const PACKAGE_KINDS = ['Provider', 'Configuration', 'Function'] as const;
export type PackageKind = (typeof PACKAGE_KINDS)[number];

export function isPackageKind(text: string): text is PackageKind {
  return (PACKAGE_KINDS as readonly string[]).includes(text);
}

/** One published package: `version` is a tag, spelled as in the registry, or a digest. */
export interface Candidate {
  readonly repository: Repository;
  readonly version: string;
}

/** What an image was made of when it was locked. */
export interface LockedParts {
  /** What the tag pointed at. */
  readonly digest: Digest | undefined;
  /** Chosen from the index; undefined: the image has no index. */
  readonly manifest: Digest | undefined;
  readonly baseLayer: Digest | undefined;
}

/** Where something was written: for messages, and to change it. */
export interface Origin {
  /** Path as the user gave it, `-` for stdin, `command line`, or `<repository>@<version>`. */
  readonly file: string;
  /** 1-based; undefined where lines mean nothing. */
  readonly line?: number | undefined;
  /** Of a stream, which document: 0 is the first, and empty ones count. */
  readonly document?: number | undefined;
  /** Where in the document, or which of the references on the command line. */
  readonly path?: Path | undefined;
}
