import type { ExpectedBlob } from './blob.js';
import type { StoredManifest } from './image-repository.js';

/** A repository that images are copied to. */
export interface ImageDestination {
  /** For messages: `mirror.example.org/acme/provider`. */
  readonly name: string;
  /** What a tag or digest names there; undefined: there is none. */
  manifest(reference: string): Promise<StoredManifest | undefined>;
  hasBlob(blob: ExpectedBlob): Promise<boolean>;
  /** Stores a blob; `chunks` gives its bytes, again from the start where they must be sent again. */
  putBlob(blob: ExpectedBlob, chunks: () => AsyncIterable<Uint8Array>): Promise<void>;
  /** Stores a manifest, all parts of which are there, under a tag or its digest. */
  putManifest(reference: string, manifest: StoredManifest): Promise<void>;
}
