import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryId } from './file-system.js';
import { InputError, messageOf } from '../errors.js';

const BLOCK_BYTES = 256 * 1024;
/** Limit for the memory of all spools of the process together. */
const MAX_MEMORY_BYTES = 32 * 1024 * 1024;

let bytesInMemory = 0;

/** Buffers a stream in memory or, above the shared limit, in a temporary file. */
export class Spool {
  /** All but the last are full. */
  #blocks: Buffer[] = [];
  #used = BLOCK_BYTES;
  #file: UnlinkedFile | undefined;

  /** Copies the chunk: many small ones would take more memory than the bytes in them. */
  async add(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      if (this.#used === BLOCK_BYTES) await this.#startBlock();
      const part = chunk.subarray(at, at + BLOCK_BYTES - this.#used);
      this.#blocks.at(-1)!.set(part, this.#used);
      this.#used += part.length;
      at += part.length;
    }
  }

  restart(): Promise<void> {
    return this.close();
  }

  /** Yields all bytes from the start. May be called more than once until `close`. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    if (this.#file !== undefined) yield* this.#file.chunks(BLOCK_BYTES);
    for (const [i, block] of this.#blocks.entries()) {
      yield i === this.#blocks.length - 1 ? block.subarray(0, this.#used) : block;
    }
  }

  async close(): Promise<void> {
    this.#dropBlocks();
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #startBlock(): Promise<void> {
    if (this.#file !== undefined || bytesInMemory + BLOCK_BYTES > MAX_MEMORY_BYTES)
      await this.#spill();
    this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
    bytesInMemory += BLOCK_BYTES;
    this.#used = 0;
  }

  /** Moves the blocks to the file. All of them are full. */
  async #spill(): Promise<void> {
    this.#file ??= await UnlinkedFile.open();
    for (const block of this.#blocks) await this.#file.append(block);
    this.#dropBlocks();
  }

  #dropBlocks(): void {
    bytesInMemory -= this.#blocks.length * BLOCK_BYTES;
    this.#blocks = [];
    this.#used = BLOCK_BYTES;
  }
}

/** Returns the bytes that all spools have in memory; for tests. */
export function spooledInMemory(): number {
  return bytesInMemory;
}

/** A temporary file that is unlinked as soon as it is open, so that it never stays. */
class UnlinkedFile {
  readonly #file: FileHandle;
  #size = 0;

  /** `file` is open for reading and writing, and empty. */
  constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(): Promise<UnlinkedFile> {
    const path = join(tmpdir(), `xpkg-resolve-${temporaryId()}`);
    return withDiskError(async () => {
      const file = await open(path, 'wx+', 0o600);
      await rm(path);
      return new UnlinkedFile(file);
    });
  }

  async append(bytes: Uint8Array): Promise<void> {
    await withDiskError(async () => {
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
      const { bytesRead } = await withDiskError(() => this.#file.read(chunk, 0, chunk.length, at));
      if (bytesRead === 0) throw new Error('a temporary file became shorter');
      yield chunk.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Throws `InputError` for every failure, because network errors would be retried. */
async function withDiskError<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const what = `what does not fit into memory cannot be kept in \`${tmpdir()}\``;
    throw new InputError(`${what}: ${messageOf(error)}`, {
      cause: error,
      hint: 'make room there, or let TMPDIR name another folder',
    });
  }
}
