import type { Digest } from '../text/digest.js';
import type { BlobSink, ExpectedBlob } from './blob.js';

/** A manifest or index as it is stored. */
export interface StoredManifest {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

/**
 * One repository of images: at a registry, in a layout, in a cache.
 *
 * Everything it returns has been checked against its digest.
 */
export interface ImageRepository {
  /** For messages: `registry.example.org/acme/provider`. */
  readonly name: string;
  /** Holds only what resolving reads: configs, other layers and other platforms may be missing. */
  readonly partial?: boolean | undefined;
  /** Every tag; undefined: there is no such repository. */
  tags(): Promise<readonly string[] | undefined>;
  /** By tag or digest; undefined: there is none. */
  manifest(reference: string): Promise<StoredManifest | undefined>;
  /** undefined: there is none, though a manifest names it. */
  blob(descriptor: ExpectedBlob): Promise<Uint8Array | undefined>;
  /** The same piece by piece, for what is not to be held or kept; false: there is none. */
  copyBlob?(descriptor: ExpectedBlob, to: BlobSink): Promise<boolean>;
}

/** A list of tags, and what its registry gave to ask by whether it has changed. */
export interface TagList {
  readonly tags: readonly string[];
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** A repository at a registry, which can say that nothing has changed. */
export interface RemoteRepository extends ImageRepository {
  /** `held` itself, if that is still the list. */
  tagList(held?: TagList): Promise<TagList | undefined>;
  /** `held` itself, if that is what the reference still points at. */
  manifest(reference: string, held?: StoredManifest): Promise<StoredManifest | undefined>;
}
