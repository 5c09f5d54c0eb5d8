/** Reads a stream of chunks by byte counts. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #buffer: Uint8Array = new Uint8Array();
  #position = 0;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  get position(): number {
    return this.#position;
  }

  /** Returns the next `count` bytes in one piece, or fewer at the end of the stream. */
  async read(count: number): Promise<Uint8Array> {
    if (this.#buffer.length >= count) return this.#take(count);
    const pieces: Uint8Array[] = [];
    for await (const piece of this.stream(count)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Returns the next `count` bytes without consuming them, or fewer at the end of the stream. */
  async peek(count: number): Promise<Uint8Array> {
    if (this.#buffer.length < count) {
      const before = this.#position;
      const start = await this.read(count);
      this.#buffer = Buffer.concat([start, this.#buffer]);
      this.#position = before;
    }
    return this.#buffer.subarray(0, count);
  }

  /** Yields the next `count` bytes in chunks, or fewer at the end of the stream. */
  async *stream(count: number): AsyncGenerator<Uint8Array> {
    for (let remaining = count; remaining > 0;) {
      if (this.#buffer.length === 0 && !(await this.#readChunk())) return;
      const piece = this.#take(Math.min(remaining, this.#buffer.length));
      remaining -= piece.length;
      yield piece;
    }
  }

  /** Skips the next `count` bytes. Returns the number of bytes skipped. */
  async skip(count: number): Promise<number> {
    const before = this.#position;
    for (let remaining = count; remaining > 0;) {
      if (this.#buffer.length === 0 && !(await this.#readChunk())) break;
      remaining -= this.#take(Math.min(remaining, this.#buffer.length)).length;
    }
    return this.#position - before;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  #take(count: number): Uint8Array {
    const bytes = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    this.#position += count;
    return bytes;
  }

  async #readChunk(): Promise<boolean> {
    for (;;) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      if (next.value.length === 0) continue;
      this.#buffer = next.value;
      return true;
    }
  }
}
