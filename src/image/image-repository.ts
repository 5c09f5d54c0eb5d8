import type { Digest } from '../text/digest.js';
import type { BlobSink, ExpectedBlob } from './blob.js';
import type { Descriptor } from './descriptor.js';

/** A manifest or index as it is stored. */
export interface StoredManifest {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

/** A blob whose digest and size were checked, to be read in chunks, more than once if need be. */
export interface OpenBlob {
  chunks(): AsyncIterable<Uint8Array>;
  /** Lets go of the memory or the file that it takes. */
  close(): Promise<void>;
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
  /**
   * Whether a reference points at a digest, as a registry says without sending the manifest, which
   * many count as a pull; false: it does not, or that is not known. Nothing is checked by it.
   */
  readonly pointsAt?: ((reference: string, digest: Digest) => Promise<boolean>) | undefined;
  /** A small blob, whole; undefined: there is none, though a manifest names it. */
  blob(descriptor: ExpectedBlob): Promise<Uint8Array | undefined>;
  /**
   * Tries to download a blob to where `openBlob` finds it, before a manifest says its size. Never
   * fails: `openBlob` waits for the download, and tells what is wrong if it did not come.
   */
  readonly keepAhead?: ((digest: Digest, signal: AbortSignal) => Promise<void>) | undefined;
  /** Copies a blob in chunks, for blobs that are not to be held in memory; false: there is none. */
  copyBlob?(descriptor: ExpectedBlob, to: BlobSink): Promise<boolean>;
  /** Signatures, attestations and whatever else names the image its subject (OCI 1.1). */
  readonly referrers?: ((digest: Digest) => Promise<readonly Descriptor[]>) | undefined;
  /** Opens a blob where it lies, for repositories that need not copy it; undefined: there is none. */
  readonly openBlob?: ((descriptor: ExpectedBlob) => Promise<OpenBlob | undefined>) | undefined;
}

/** A list of tags, with the validators that ask its registry whether it has changed. */
export interface TagList {
  readonly tags: readonly string[];
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** A repository at a registry, which can answer that nothing has changed. */
export interface RemoteRepository extends ImageRepository {
  /** Returns `held` itself if the list has not changed. */
  tagList(held?: TagList): Promise<TagList | undefined>;
  /** Returns `held` itself if the reference still points at it. */
  manifest(reference: string, held?: StoredManifest): Promise<StoredManifest | undefined>;
  /**
   * Copies a blob of unknown size in one try; false: there is none, or its registry does not say a
   * size that a layer may have.
   */
  copyUnsized(digest: Digest, to: BlobSink, signal: AbortSignal): Promise<boolean>;
}
