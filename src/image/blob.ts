import type { Digest } from '../text/digest.js';

export interface ExpectedBlob {
  readonly digest: Digest;
  readonly size: number;
}

/** Receives the bytes of a blob in chunks. */
export interface BlobSink {
  add(chunk: Uint8Array): Promise<void>;
  /** Drops what was added: the blob is sent again from the start. */
  restart(): Promise<void>;
}

/** Keeps a whole blob in memory. */
export class BlobBuffer implements BlobSink {
  #chunks: Uint8Array[] = [];

  async add(chunk: Uint8Array): Promise<void> {
    this.#chunks.push(chunk);
  }

  async restart(): Promise<void> {
    this.#chunks = [];
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }
}
