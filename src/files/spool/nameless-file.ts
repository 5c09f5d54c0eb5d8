import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError } from '../../model/input-error.js';
import { temporaryId } from '../temporary-name.js';

/**
 * A temporary file for the owner alone, without a name: it is removed as soon as it is open, so
 * that nothing of it is left however the process ends.
 */
export class NamelessFile {
  readonly #file: FileHandle;
  #size = 0;

  /** `file` is open for reading and writing, and empty. */
  constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(): Promise<NamelessFile> {
    const path = join(tmpdir(), `xpkg-resolve-${temporaryId()}`);
    return explained(async () => {
      const file = await open(path, 'wx+', 0o600);
      await rm(path);
      return new NamelessFile(file);
    });
  }

  async append(bytes: Uint8Array): Promise<void> {
    await explained(async () => {
      for (let at = 0; at < bytes.length;) {
        const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#size);
        at += bytesWritten;
        this.#size += bytesWritten;
      }
    });
  }

  async *chunks(chunkBytes: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.#size;) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, this.#size - at));
      const { bytesRead } = await explained(() => this.#file.read(chunk, 0, chunk.length, at));
      if (bytesRead === 0) throw new Error('a temporary file became shorter');
      yield chunk.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Not an error of the network, which would be tried again. */
async function explained<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const what = `what does not fit into memory cannot be kept in \`${tmpdir()}\`: ${why}`;
    throw new InputError(what, {
      cause: error,
      hint: 'make room there, or let TMPDIR name another folder',
    });
  }
}
