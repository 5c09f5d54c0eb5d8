import type { Digest } from '../text/digest.js';

export interface ExpectedBlob {
  readonly digest: Digest;
  readonly size: number;
}

/** Takes the bytes of a blob as they come. */
export interface BlobSink {
  add(chunk: Uint8Array): Promise<void>;
  /** What came was wrong: it comes again, from the start. */
  restart(): Promise<void>;
}

/** Holds all of a blob. */
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
