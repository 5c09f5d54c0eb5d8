import type { Descriptor } from './descriptor.js';
import type { Digest } from '../../base/digest.js';
import { SourceError } from '../../base/errors.js';
import { Spool } from '../../base/files/spool.js';

/** A manifest or index with its original bytes. */
export interface StoredManifest {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

/** A verified blob that can be read in chunks, several times. */
export interface OpenBlob {
  chunks(): AsyncIterable<Uint8Array>;
  /** Frees its memory or file. */
  close(): Promise<void>;
}

/** A repository of images. Implementations verify the digest of everything they return. */
export interface ImageRepository {
  /** Name for messages: `registry.example.org/acme/provider`. */
  readonly name: string;
  /**
   * Whether configs, other layers and other platforms may be missing. The resolver ignores them.
   */
  readonly partial?: boolean | undefined;
  /** Returns all tags, or undefined if there is no such repository. */
  tags(): Promise<readonly string[] | undefined>;
  /** Returns the manifest of a tag or digest, or undefined if there is none. */
  manifest(reference: string): Promise<StoredManifest | undefined>;
  /**
   * Whether a reference points at a digest, by a HEAD request: many registries count a GET as a
   * pull. Returns false if it does not or if that is unknown. The digest is not verified.
   */
  readonly pointsAt?: ((reference: string, digest: Digest) => Promise<boolean>) | undefined;
  /** Returns a small blob, or undefined if it is missing. */
  blob(descriptor: ExpectedBlob): Promise<Uint8Array | undefined>;
  /** Prefetches a blob for `openBlob`, which waits for it and reports its failure. */
  readonly prefetchBlob?: ((digest: Digest, signal: AbortSignal) => Promise<void>) | undefined;
  /** Copies a blob that may not fit into memory, in chunks. Returns false if it is missing. */
  copyBlob?(descriptor: ExpectedBlob, to: BlobSink): Promise<boolean>;
  /** Returns manifests with this image as subject, such as signatures (OCI 1.1). */
  readonly referrers?: ((digest: Digest) => Promise<readonly Descriptor[]>) | undefined;
  /** Opens a blob without copying it, or returns undefined if it is missing. */
  readonly openBlob?: ((descriptor: ExpectedBlob) => Promise<OpenBlob | undefined>) | undefined;
}

/** A tag list with the validators for a conditional request. */
export interface TagList {
  readonly tags: readonly string[];
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** A repository at a registry, with conditional requests. */
export interface RemoteRepository extends ImageRepository {
  /** Returns `cached` itself if the list has not changed. */
  tagList(cached?: TagList): Promise<TagList | undefined>;
  /** Returns `cached` itself if the reference still points at it. */
  manifest(reference: string, cached?: StoredManifest): Promise<StoredManifest | undefined>;
  /**
   * Copies a blob without retries. Returns false if it is missing, too large or of unknown size.
   */
  copyUnsized(digest: Digest, to: BlobSink, signal: AbortSignal): Promise<boolean>;
}

/** A repository to which images are copied. */
export interface ImageDestination extends Pick<ImageRepository, 'name' | 'manifest'> {
  hasBlob(blob: ExpectedBlob): Promise<boolean>;
  /** Stores a blob. `chunks` is called again if the upload is retried. */
  putBlob(blob: ExpectedBlob, chunks: () => AsyncIterable<Uint8Array>): Promise<void>;
  /** Stores a manifest under a tag or its digest. All blobs that it refers to must exist. */
  putManifest(reference: string, manifest: StoredManifest): Promise<void>;
}

export interface ExpectedBlob {
  readonly digest: Digest;
  readonly size: number;
}

export interface BlobSink {
  add(chunk: Uint8Array): Promise<void>;
  /** Discards all chunks, because the blob is sent again from the start. */
  restart(): Promise<void>;
}

const INITIAL_BYTES = 16 * 1024;

/** Buffers a blob in one piece: a server may send many tiny chunks, which need more memory. */
export class BlobBuffer implements BlobSink {
  #buffer = Buffer.alloc(0);
  #size = 0;

  async add(chunk: Uint8Array): Promise<void> {
    const size = this.#size + chunk.length;
    if (size > this.#buffer.length) {
      const larger = Math.max(size, 2 * this.#buffer.length, INITIAL_BYTES);
      this.#buffer = Buffer.concat([this.bytes], larger);
    }
    this.#buffer.set(chunk, this.#size);
    this.#size = size;
  }

  async restart(): Promise<void> {
    this.#size = 0;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }
}

/** Copies a blob, in chunks if the repository supports it. Returns false if it is missing. */
export async function copyBlob(
  repository: ImageRepository,
  descriptor: ExpectedBlob,
  to: BlobSink,
): Promise<boolean> {
  if (repository.copyBlob !== undefined) return repository.copyBlob(descriptor, to);
  const bytes = await repository.blob(descriptor);
  if (bytes !== undefined) await to.add(bytes);
  return bytes !== undefined;
}

/** Opens a blob, or a temporary copy of it. Returns undefined if it is missing. */
export async function openBlob(
  repository: ImageRepository,
  descriptor: ExpectedBlob,
): Promise<OpenBlob | undefined> {
  if (repository.openBlob !== undefined) return repository.openBlob(descriptor);
  const spool = new Spool();
  try {
    if (await copyBlob(repository, descriptor, spool)) return spool;
  } catch (error) {
    await spool.close();
    throw error;
  }
  await spool.close();
  return undefined;
}

/** Whether a repository should have everything that its manifests refer to. */
export function isComplete({ partial }: ImageRepository): boolean {
  return partial !== true;
}

export function missingPartError(subject: string, what: string): SourceError {
  return new SourceError('BAD_IMAGE', subject, `${what} is named, and is not there`, {
    hint: 'the image cannot be pulled whole: push it again, or name another source with `--from`',
  });
}
