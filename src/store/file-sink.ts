import type { FileHandle } from 'node:fs/promises';
import type { BlobSink } from '../image/blob.js';

/**
 * Writes a blob to a file. Keeps a failure of the file apart from those of the source, which the
 * registry client would take for a broken connection and try again.
 */
export class FileSink implements BlobSink {
  size = 0;
  failure: unknown;
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async add(chunk: Uint8Array): Promise<void> {
    await this.#attempt(() => this.#file.writeFile(chunk));
    this.size += chunk.byteLength;
  }

  async restart(): Promise<void> {
    await this.#attempt(() => this.#file.truncate(0));
    this.size = 0;
  }

  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.failure = error;
      throw new Error('the blob cannot be written', { cause: error });
    }
  }
}
