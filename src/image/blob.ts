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

const FIRST_ROOM_BYTES = 16 * 1024;

/**
 * Keeps a whole blob in memory, in one piece: a server may send a byte at a time, and each chunk
 * takes some hundred bytes beside its own.
 */
export class BlobBuffer implements BlobSink {
  #room = Buffer.alloc(0);
  #size = 0;

  async add(chunk: Uint8Array): Promise<void> {
    const size = this.#size + chunk.length;
    if (size > this.#room.length) {
      const larger = Math.max(size, 2 * this.#room.length, FIRST_ROOM_BYTES);
      this.#room = Buffer.concat([this.bytes], larger);
    }
    this.#room.set(chunk, this.#size);
    this.#size = size;
  }

  async restart(): Promise<void> {
    this.#size = 0;
  }

  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#size);
  }
}
