import type { Repository, Candidate, LockedParts } from './package.js';
import type { PackageContents } from './package-contents.js';
import type { CrdDemand } from './crd-demand.js';
import type { Digest } from '../text/digest.js';
import type { Target } from './target/target.js';

/** A package version as a source has it. Every digest is `sha256:` and 64 lower-case hex digits. */
export interface FetchedPackage {
  readonly contents: PackageContents;
  /** What the tag points at: the index where there is one. undefined: metadata only (an index file). */
  readonly digest: string | undefined;
  /** Manifest chosen from the index; undefined when `digest` is that manifest. */
  readonly manifest?: string | undefined;
  readonly baseLayer?: string | undefined;
  /** SHA-256 of the package.yaml bytes. */
  readonly packageYaml?: string | undefined;
  /** Set where it is no package but something kept beside packages: the type of that. */
  readonly artifact?: string | undefined;
  /** Why a cluster of the target cannot read an image that was built of a folder, and is locked as such. */
  readonly unreadable?: string | undefined;
  /** For the user: a careless mirror, a layer that had to be flattened. */
  readonly notes?: readonly string[] | undefined;
}

/** A package that is asked for, and what is known of it. */
export interface AskedPackage extends Candidate {
  /** A distant source may ask for these at once. Nothing is believed of them. */
  readonly parts?: LockedParts | undefined;
}

/** When a version came to be, as far as a source can tell; times are written as in RFC 3339. */
export interface Released {
  /** What its image says. */
  readonly created?: string | undefined;
  /** When an index that is kept up to date first saw it. */
  readonly firstSeen?: string | undefined;
}

/** Versions of one repository that own some CRD. */
export interface Owner {
  readonly repository: Repository;
  readonly versions: readonly string[];
}

/** A state of an index in parts, for a lockfile to say which was read. */
export interface IndexState {
  /** As the user named it: `index:oci://registry.example.org/team/index:v1`. */
  readonly from: string;
  readonly digest: Digest;
}

/**
 * Where packages come from: a registry, a folder, an index, a test's memory.
 *
 * An implementation must give the same answer to the same question for the whole of one
 * resolution; the solver's determinism rests on that. The rules of the target are part of the
 * question: they may decide where a package is looked for (the default registry, ImageConfigs),
 * which of its versions there are, and how an image is read. Nothing else of the target may:
 * releases that follow the same rules are asked about as one. Failures (network, integrity) throw
 * `SourceError`; "there is none" is an answer: `undefined`.
 */
export interface PackageSource {
  /** An answer takes long, and many take no longer than one: it pays to ask ahead. */
  readonly distant?: boolean;
  /** States of indexes that it answers from, for as long as it is open. */
  readonly states?: readonly IndexState[];
  /** Every tag, in any order, semver or not. undefined: the repository is unknown here. */
  tags(repository: Repository, target: Target): Promise<readonly string[] | undefined>;
  /** Reads package.yaml and nothing else. undefined: there is no such version. */
  fetch(candidate: AskedPackage, target: Target): Promise<FetchedPackage | undefined>;
  /**
   * When a version came to be; asked for only where a policy wants to know. undefined: there is no
   * such version. A source without this tells of no version when that was.
   */
  released?(candidate: Candidate, target: Target): Promise<Released | undefined>;
  /** Who owns a CRD, sorted by repository; undefined: this source cannot list what it holds. */
  owners?(demand: CrdDemand, target: Target): Promise<readonly Owner[]>;
  /**
   * Every repository it knows, sorted; undefined: this source cannot list what it holds. With a word,
   * those may be left out that neither have it in their name nor own anything that it stands for.
   */
  repositories?(about?: string): Promise<readonly Repository[]>;
}
