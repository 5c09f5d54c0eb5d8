import type { Digest } from '../model/package.js';
import type { Expected } from './body.js';

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
  /** Every tag; undefined: there is no such repository. */
  tags(): Promise<readonly string[] | undefined>;
  /** By tag or digest; undefined: there is none. */
  manifest(reference: string): Promise<StoredManifest | undefined>;
  /** undefined: there is none, though a manifest names it. */
  blob(descriptor: Expected): Promise<Uint8Array | undefined>;
}
