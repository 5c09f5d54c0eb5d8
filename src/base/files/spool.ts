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
  /** All blocks but the last are full. */
  #blocks: Buffer[] = [];
  #usedBytes = BLOCK_BYTES;
  /** Contains the bytes that precede those in memory. */
  #file: FileHandle | undefined;
  #fileBytes = 0;

  /** Copies the chunk: many small ones would take more memory than the bytes in them. */
  async add(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      if (this.#usedBytes === BLOCK_BYTES) await this.#startBlock();
      const part = chunk.subarray(at, at + BLOCK_BYTES - this.#usedBytes);
      this.#blocks.at(-1)!.set(part, this.#usedBytes);
      this.#usedBytes += part.length;
      at += part.length;
    }
  }

  restart(): Promise<void> {
    return this.close();
  }

  /** Yields all bytes from the start. May be called more than once until `close`. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    if (this.#file !== undefined) yield* this.#chunksIn(this.#file);
    for (const [i, block] of this.#blocks.entries()) {
      yield i === this.#blocks.length - 1 ? block.subarray(0, this.#usedBytes) : block;
    }
  }

  async *#chunksIn(file: FileHandle): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.#fileBytes;) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, this.#fileBytes - at));
      const { bytesRead } = await withDiskError(() => file.read(chunk, 0, chunk.length, at));
      if (bytesRead === 0) throw new Error('a temporary file became shorter');
      yield chunk.subarray(0, bytesRead);
      at += bytesRead;
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
      await withDiskError(() => this.#spill());
    this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
    bytesInMemory += BLOCK_BYTES;
    this.#usedBytes = 0;
  }

  /** Moves the blocks to the file. All of them are full. */
  async #spill(): Promise<void> {
    if (this.#file === undefined) {
      this.#file = await openUnlinked();
      this.#fileBytes = 0;
    }
    for (const block of this.#blocks) {
      for (let at = 0; at < block.length;) {
        const rest = block.length - at;
        const { bytesWritten } = await this.#file.write(block, at, rest, this.#fileBytes);
        at += bytesWritten;
        this.#fileBytes += bytesWritten;
      }
    }
    this.#dropBlocks();
  }

  #dropBlocks(): void {
    bytesInMemory -= this.#blocks.length * BLOCK_BYTES;
    this.#blocks = [];
    this.#usedBytes = BLOCK_BYTES;
  }
}

/** Returns the bytes that all spools have in memory; for tests. */
export function spooledInMemory(): number {
  return bytesInMemory;
}

/** Opens a temporary file and unlinks it at once, so that it never stays. */
async function openUnlinked(): Promise<FileHandle> {
  const path = join(tmpdir(), `xpkg-resolve-${temporaryId()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
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
