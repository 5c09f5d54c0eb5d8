import { NamelessFile } from './nameless-file.js';

const BLOCK_BYTES = 256 * 1024;
/** Bytes that all spools of the process keep in memory together. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;

/** Bytes that all spools have in memory now. */
let held = 0;

/**
 * Keeps bytes that come in chunks until they are read: in memory while all spools together leave
 * room, in a temporary file once they do not.
 */
export class Spool {
  /** All but the last are full. */
  #blocks: Buffer[] = [];
  /** Bytes in the last block. */
  #used = BLOCK_BYTES;
  #file: NamelessFile | undefined;

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

  /** Drops what was added. */
  async restart(): Promise<void> {
    await this.close();
  }

  /** Everything that was added, from the start; may be read more than once, until `close`. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    if (this.#file !== undefined) yield* this.#file.chunks(BLOCK_BYTES);
    for (const [i, block] of this.#blocks.entries()) {
      yield i === this.#blocks.length - 1 ? block.subarray(0, this.#used) : block;
    }
  }

  async close(): Promise<void> {
    this.#forgetBlocks();
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #startBlock(): Promise<void> {
    if (this.#file !== undefined || held + BLOCK_BYTES > MAX_HELD_BYTES) await this.#spill();
    this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
    held += BLOCK_BYTES;
    this.#used = 0;
  }

  /** Moves the blocks, all of which are full, to the file. */
  async #spill(): Promise<void> {
    this.#file ??= await NamelessFile.open();
    for (const block of this.#blocks) await this.#file.append(block);
    this.#forgetBlocks();
  }

  #forgetBlocks(): void {
    held -= this.#blocks.length * BLOCK_BYTES;
    this.#blocks = [];
    this.#used = BLOCK_BYTES;
  }
}

/** Bytes that all spools have in memory now; for tests. */
export function spooledInMemory(): number {
  return held;
}
